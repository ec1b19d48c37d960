import type { Answer } from '../../api/client.ts'

export type CrashPlatform = Answer<'/admin/v1/apps/{appId}/crash-groups'>['items'][number]['platform']

/** Platforms whose crashes are told apart, in the order in which they are offered. */
const PLATFORMS: Readonly<Record<CrashPlatform, true>> = {
  android: true,
  ios: true,
  macos: true,
  'react-native': true,
  xamarin: true,
  flutter: true,
  other: true,
}

export const CRASH_PLATFORMS = Object.keys(PLATFORMS) as CrashPlatform[]

const LONGEST = 120
export const shortFrame = (frame: string): string =>
  frame.length > LONGEST ? `${frame.slice(0, LONGEST - 1)}…` : frame
