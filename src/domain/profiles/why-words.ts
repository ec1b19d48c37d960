/** The meaning of a state of a recipient for somebody who reads it for the first time, and the remedy. */
export interface Words {
  says: string
  remedy: string | null
}

const NOTHING_TO_DO = null

/** Words by state of a trace (notifications/report/trace.ts) and by the reasons of `why.ts`. `{gateway}` is the vendor. */
const WHY: Readonly<Record<string, Words>> = {
  opened: { says: 'It arrived, and was opened.', remedy: NOTHING_TO_DO },
  delivered: { says: '{gateway} accepted it, and the device confirmed that it arrived.', remedy: NOTHING_TO_DO },
  accepted: {
    says: '{gateway} accepted it. Whether the device showed it is not known: it has confirmed nothing.',
    remedy:
      'The device may be switched off or in a Focus, or the app may not confirm what arrives. Send a test push while you watch the device.',
  },

  waiting: { says: 'It is being handed out, and has not come to this device yet.', remedy: 'Look again in a minute.' },
  pending: { says: 'It waits to be sent.', remedy: 'Look again in a minute. If it stays so, look at Health.' },
  begun: { says: 'It is being sent at this moment.', remedy: 'Look again in a minute.' },
  moved: { says: 'It is being sent again.', remedy: 'Look again in a minute.' },
  not_due: { says: 'It has not been sent yet: its time has not come.', remedy: NOTHING_TO_DO },

  no_install: {
    says: 'This person has no device: nobody has used the app under this identifier.',
    remedy: 'Check that the app tells its SDK the same identifier that your server uses.',
  },
  notifications_off: {
    says: 'Notifications of the app are turned off on this device, so it was left out.',
    remedy: 'The person can turn them on in the settings of the device. In-app messages reach them all the same.',
  },
  no_token: {
    says: 'The app on this device has no push token, so nothing can be sent to it.',
    remedy: 'The app has to ask for permission and register with its SDK. Check that it does after signing in.',
  },
  token_retired: {
    says: '{gateway} said that the push token is dead, so it was removed: usually the app was deleted from the device.',
    remedy: 'Nothing to do: when the app is opened again, it registers a new token.',
  },
  came_later: {
    says: 'The app came to this device after the notification was sent.',
    remedy: 'Send it again if they should have it.',
  },
  excluded: {
    says: 'The notification names this person or device as one to leave out.',
    remedy: 'Remove them from the exclusions and send it again.',
  },
  not_named: {
    says: 'The notification went to a list of people, and they are not on it.',
    remedy: 'Send it to them as well.',
  },
  not_in_channel: {
    says: 'The notification went to a channel, and this device is not subscribed to it.',
    remedy: 'Subscribe them to the channel, if they want that.',
  },
  not_in_geofence: {
    says: 'The notification went to a place, and the device is not there, or has not told where it is lately.',
    remedy: 'Check that the app may use the location in the background.',
  },
  not_in_segment: {
    says: 'The notification went to a segment, and this device does not fit its conditions now.',
    remedy: 'Open the segment and compare its conditions with the attributes here.',
  },
  not_a_recipient: {
    says: 'It was not a recipient when the notification was sent, although it would be one now.',
    remedy: 'It was not subscribed, or did not fit, at that time. Send it again if they should have it.',
  },
  forgotten: {
    says: 'The notification is so old that its recipients are not kept any more: only its counts are.',
    remedy: 'How long they are kept is the setting notifications.retentionDays.',
  },

  expired: {
    says: 'It expired before it could be sent.',
    remedy: 'Give it a longer time to live, or find out on the page Health why it had to wait.',
  },
  missed: {
    says: 'It was due while the server could not send, and was too late when it could again.',
    remedy: 'Send it again. How late is too late is the setting schedule.maxLateness.',
  },
  cancelled: { says: 'The notification was stopped before it came to this device.', remedy: 'Send it again.' },
  skipped: {
    says: 'The device lost its push token between the choice of recipients and the sending.',
    remedy: 'When the app is opened again, it registers a new token.',
  },
  unknown: {
    says: '{gateway} never answered: it may or may not have arrived.',
    remedy: 'It is not sent again by itself, so that nobody gets it twice.',
  },
  quiet_hours: {
    says: 'It was in the quiet hours of the app at the local time of this device.',
    remedy:
      'Send it at another time, let quiet hours hold messages instead, or mark what cannot wait as transactional.',
  },
  frequency_cap: {
    says: 'The device had already got as many notifications as the app allows.',
    remedy: 'Raise the frequency cap, or mark what cannot wait as transactional.',
  },
  past_time: {
    says: 'The scheduled time had passed already in the time zone of this device.',
    remedy: 'Schedule it further ahead, or let it go out at once where the time has passed.',
  },
  not_wanted: {
    says: 'This person does not allow the purpose of the notification.',
    remedy: 'Respect it. They can change it where they chose it.',
  },
  on_suppression_list: {
    says: 'This person is on the suppression list: they get no pushes.',
    remedy: 'Take them off the list only if they ask for it.',
  },
  missing_value: {
    says: 'The message is personalised, and something that it says is missing for this person.',
    remedy: 'Open the report of the notification to see what is missing. Give it a default, or fill in the attribute.',
  },
  user_changed: {
    says: 'It was for a person who had signed out of this device by then: somebody else was using it.',
    remedy: 'Nothing needs to be done. It goes to the devices that a person uses when it is sent.',
  },

  token_dead: {
    says: '{gateway} refused the push token for good: usually the app was deleted from the device.',
    remedy: 'The token was removed. When the app is opened again, it registers a new one.',
  },
  token_suspect: {
    says: '{gateway} refused the push token.',
    remedy: 'Often the keys are those of another app, or the token is of the sandbox. Check the gateway.',
  },
  payload_error: {
    says: '{gateway} refused the message itself.',
    remedy: 'Look at its words below and at what was sent: it may be too large, or a field may be wrong.',
  },
  throttled_recipient: {
    says: '{gateway} kept refusing this device, because it got too many messages.',
    remedy: 'Send less to it, or replace messages with a collapse id.',
  },
  no_gateway: {
    says: 'The app has no gateway that can send to this platform.',
    remedy: 'Set the gateway up, then send it again.',
  },
  internal_error: {
    says: 'The server failed to deliver it.',
    remedy: 'Its log says why: look at the page Health.',
  },
}

export function wordsOf(state: string, gateway: string): Words {
  const { says, remedy } = WHY[state] ?? { says: `Its state is “${state}”.`, remedy: null }
  return { says: says.replaceAll('{gateway}', gateway), remedy }
}
