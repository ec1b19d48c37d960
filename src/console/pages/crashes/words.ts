import type { Answer } from '../../api/client.ts'

export type CrashPlatform = Answer<'/admin/v1/apps/{appId}/crash-groups'>['items'][number]['platform']

const NAMES: Readonly<Record<CrashPlatform, string>> = {
  android: 'Android',
  ios: 'iOS',
  macos: 'macOS',
  'react-native': 'React Native',
  xamarin: 'Xamarin',
  flutter: 'Flutter',
  other: 'Other',
}

export const CRASH_PLATFORMS = Object.keys(NAMES) as CrashPlatform[]
export const platformOf = (platform: CrashPlatform): string => NAMES[platform]

const LONGEST = 120
export const shortFrame = (frame: string): string =>
  frame.length > LONGEST ? `${frame.slice(0, LONGEST - 1)}…` : frame
