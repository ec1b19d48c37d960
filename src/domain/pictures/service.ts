import { readPage } from '../../platform/db/pages.ts'
import { AppError, invalid } from '../../platform/errors.ts'
import type { CleanPicture } from '../../platform/pictures/types.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { picturePath, pictureUid, readPictureName } from './addresses.ts'
import type { PicturesRepository } from './repository.ts'
import type { ListedPicture, Picture, PictureFilter, PictureLimits, PictureUse } from './types.ts'

/** Uses that are named of one picture. */
const SHOWN_USES = 50
/** Uses that an error names. */
const NAMED_USES = 3

export interface PicturesParts {
  repo: PicturesRepository
  clock: Clock
  limits: PictureLimits
  /** The address of this server as phones reach it, without a slash at its end. */
  base(): string
  /** Called when an app gets another icon, or none. */
  iconChanged(): void
}

/** A picture with what names it, newest first. */
export interface PictureInUse {
  picture: Picture
  uses: PictureUse[]
  /** True when there are more uses than `uses` has. */
  hasMore: boolean
}

/** Pictures of an app: stored once, shown from this server, deleted when nothing needs them. */
export function picturesService({ repo, clock, limits, base, iconChanged }: PicturesParts) {
  /** Throws `not_found`. */
  async function get(appId: number, uid: string): Promise<Picture> {
    return known(await repo.find(appId, uid), uid)
  }

  async function inUse(picture: Picture): Promise<PictureInUse> {
    const uses = await repo.uses(picture.id, SHOWN_USES + 1)
    return { picture, uses: uses.slice(0, SHOWN_USES), hasMore: uses.length > SHOWN_USES }
  }

  /** The absolute address of a picture, for everybody. */
  const urlOf = (picture: Pick<Picture, 'uid' | 'kind'>): string => base() + picturePath(picture)

  /** The addresses of the icons of these apps, each by the id of its app. */
  async function iconUrls(appIds: readonly number[]): Promise<Map<number, string>> {
    const icons = await repo.icons(appIds)
    return new Map(Array.from(icons, ([appId, picture]) => [appId, urlOf(picture)]))
  }

  return {
    get,

    urlOf,

    iconUrls,

    /** The address of the icon of an app; null when it has none. */
    iconUrl: async (appId: number): Promise<string | null> => (await iconUrls([appId])).get(appId) ?? null,

    /** Makes one of its pictures, named by its address or uid, the icon of an app; null: it has none. Throws `invalid`. */
    async setIcon(appId: number, name: string | null): Promise<void> {
      iconChanged()
      if (name === null) return repo.clearIcon(appId)
      const uid = readPictureName(name)
      if (uid !== undefined && (await repo.setIcon(appId, uid))) return
      throw invalid({
        iconUrl: ['must be the address of a picture of this app: upload it first (appsvc pictures add)'],
      })
    },

    /** A picture with what names it. Throws `not_found`. */
    uses: async (appId: number, uid: string): Promise<PictureInUse> => inUse(await get(appId, uid)),

    /** Pictures, newest first, below the id `after`; `next` is null on the last page. */
    async list(
      appId: number,
      { after, limit, ...filter }: PictureFilter & { after?: number | undefined; limit: number },
    ): Promise<{ pictures: ListedPicture[]; next: number | null }> {
      const { rows, last } = await readPage(limit, (most) => repo.list(appId, filter, after, most))
      return { pictures: rows, next: last?.id ?? null }
    },

    /** Number and bytes of the pictures of an app, and how many it may have. */
    async room(appId: number): Promise<{ pictures: number; size: number; limits: PictureLimits }> {
      return { ...(await repo.totals(appId)), limits }
    },

    /**
     * Stores a picture that `cleanPicture` made. One that the app has already is returned as it is, whatever the file was called.
     * Throws `conflict` when the app has as many as it may have.
     */
    async add(
      appId: number,
      name: string,
      { bytes, ...clean }: CleanPicture,
    ): Promise<{ picture: Picture; isNew: boolean }> {
      const uid = pictureUid(appId, bytes)
      const size = bytes.length
      const picture = await repo.insert({ ...clean, appId, uid, name, size, createdAt: clock.now() }, bytes)
      if (!picture) return { picture: await get(appId, uid), isNew: false }
      const totals = await repo.addTotals(appId, 1, size)
      refuseFull(totals, limits)
      return { picture, isNew: true }
    },

    /** Locks a picture until the commit, as its deletion does first. */
    lock: (appId: number, uid: string) => repo.lock(appId, uid),

    /**
     * Deletes a picture: its address shows nothing from then on, apart from copies that browsers keep. Throws `not_found`, and
     * `conflict` while something that is stored here names it, unless `isForced`.
     */
    async delete(appId: number, uid: string, isForced: boolean): Promise<void> {
      const picture = known(await repo.lock(appId, uid), uid)
      const { uses } = await inUse(picture)
      if (uses.length > 0 && !isForced) {
        const named = uses.slice(0, NAMED_USES).map(({ kind, id }) => `${kind} ${id}`)
        const more = uses.length > NAMED_USES ? ' and others' : ''
        throw new AppError(
          'conflict',
          `the picture is named by ${named.join(', ')}${more}, which would show nothing in its place: delete them first, or delete it with force`,
        )
      }
      // The icon may be one of the uses that were not read.
      if (uses.length > 0) iconChanged()
      await repo.delete(appId, picture.id)
      await repo.addTotals(appId, -1, -picture.size)
    },

    /** The bytes of a picture, for whoever has its address. Undefined when there is none. */
    bytes: repo.bytes,
  }
}

/** Throws `conflict` when an app may not have these totals. */
function refuseFull({ pictures, size }: { pictures: number; size: number }, { count, bytes }: PictureLimits): void {
  const remedy = 'delete some that nothing uses (appsvc pictures list --unused)'
  if (pictures > count) {
    throw new AppError('conflict', `the app has ${count} pictures, as many as it may have (limits.pictures): ${remedy}`)
  }
  if (size > bytes) {
    throw new AppError(
      'conflict',
      `the app has ${size} bytes of pictures with this one; at most ${bytes} are allowed (limits.pictureBytes): ${remedy}`,
    )
  }
}

function known(picture: Picture | undefined, uid: string): Picture {
  if (!picture) throw new AppError('not_found', `there is no picture ${JSON.stringify(uid)}`)
  return picture
}
