import { type Answer, api, call } from '../api/client.ts'

export const PICTURES = '/admin/v1/apps/{appId}/pictures'
export const PICTURE = '/admin/v1/apps/{appId}/pictures/{uid}'

export type Picture = Answer<typeof PICTURES>['pictures'][number]

/** Types of files that can be uploaded, for the file dialog; the server looks at the bytes. */
export const PICTURE_TYPES = 'image/png,image/jpeg,image/webp,image/gif'

const PATH = /\/pictures\/[0-9a-f]{32}\.(?:png|jpg|webp|gif)$/

/**
 * Path of a picture of this server whose address is given; undefined for any other address. The console loads nothing from elsewhere:
 * its policy forbids it, and another server would learn of the draft.
 */
export function ownPicture(address: string): string | undefined {
  return PATH.exec(address.trim())?.[0]
}

/** Stores a file in the library of the app, or finds the same bytes there. */
export function uploadPicture(appId: number, file: File): Promise<Picture> {
  const body = new FormData()
  body.append('file', file)
  return call('post', PICTURES, { path: { appId }, body }) as Promise<Picture>
}

export const deletePicture = (appId: number, uid: string, force: boolean) =>
  api.delete(PICTURE, { path: { appId, uid }, query: { force } })

/** `1200 × 630`, and the frames of an animation. */
export function sidesOf({ width, height, frames }: Pick<Picture, 'width' | 'height' | 'frames'>): string {
  return `${width} × ${height}${frames > 1 ? `, ${frames} frames` : ''}`
}
