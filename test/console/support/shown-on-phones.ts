/** Fields of a push about how phones show it, each field with a value that is nobody's default. */
export const SHOWN_ON_PHONES = {
  collapseId: 'bread',
  runBackgroundHandler: true,
  reportingMeta: { campaign: 'spring' },
  ios: {
    subtitle: 'S',
    threadId: 't',
    category: 'c',
    sound: 'bell.caf',
    interruptionLevel: 'passive',
    relevanceScore: 0,
    targetContentId: 'window',
    priority: 5,
    badge: { type: 'incrementBy', count: 2 },
    media: { pictureUrl: 'https://example.com/ios.png' },
  },
  android: {
    channelId: 'offers',
    importance: 'high',
    sound: 'bell',
    highPriority: true,
    pictureUrl: 'https://example.com/android.png',
  },
  buttons: [{ id: 'order', text: 'Order', icon: { type: 'system', id: 'cart' } }],
}
