import type { Answer } from '../../api/client.ts'
import { platformName } from '../../parts/platforms.ts'

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

/** The name of the platform to which an install's pushes go, or of the way that they take instead. */
export const wayName = ({ platform, transport }: ProfileInstall['push']): string | undefined =>
  transport === 'unifiedpush' ? platformName(transport) : platform === null ? undefined : platformName(platform)
