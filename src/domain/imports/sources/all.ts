import { refusingRows } from '../read/problem.ts'
import type { Source, SourceName } from '../types.ts'
import { airship } from './airship.ts'
import { csv } from './csv.ts'
import { expo } from './expo.ts'
import { firebase } from './firebase.ts'
import { onesignal } from './onesignal.ts'
import { parse } from './parse.ts'
import { pinpoint } from './pinpoint.ts'

/** Every service whose export can be read. A new one is one entry here, and its name in types.ts. */
export const sources: Readonly<Record<SourceName, Source>> = {
  onesignal: refusingRows(onesignal),
  parse: refusingRows(parse),
  firebase: refusingRows(firebase),
  airship: refusingRows(airship),
  pinpoint: refusingRows(pinpoint),
  csv: refusingRows(csv),
  expo: refusingRows(expo),
}
