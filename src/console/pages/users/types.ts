import type { Answer } from '../../api/client.ts'

export type Profile = Answer<'/admin/v1/apps/{appId}/profiles/{profileId}'>
export type ProfileInstall = Profile['installs'][number]
export type FoundProfile = Answer<'/admin/v1/apps/{appId}/profiles'>['items'][number]
export type Suggestion = Answer<'/admin/v1/apps/{appId}/profiles/suggestions'>['items'][number]
export type Moment = Answer<'/admin/v1/apps/{appId}/profiles/{profileId}/timeline'>['items'][number]

/** Properties that every part of the page of a user gets. */
export interface UserProps {
  appId: number
  profile: Profile
  /** Reads the profile again, after a write. */
  reload(): void
}

const PLATFORM_NAMES: Readonly<Record<string, string>> = {
  ios: 'iOS',
  macos: 'macOS',
  android: 'Android',
  web: 'Web',
  safari: 'Safari',
}
/** "UnifiedPush" for a phone without Google, else the name of its platform. */
export const wayName = ({ platform, transport }: ProfileInstall['push']): string | undefined =>
  transport === 'unifiedpush' ? 'UnifiedPush' : platform === null ? undefined : platformName(platform)

export const platformName = (platform: string): string =>
  PLATFORM_NAMES[platform] ?? platform.charAt(0).toUpperCase() + platform.slice(1)
