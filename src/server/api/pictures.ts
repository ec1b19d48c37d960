import { pictureDeletion, picturesPage } from '../../domain/pictures/schema.ts'
import { receivePicture } from '../../domain/pictures/upload.ts'
import {
  picturePage,
  presentPicturePage,
  presentStoredPicture,
  presentWholePicture,
  storedPicture,
  wholePicture,
} from '../../present/api/pictures.ts'
import { del, get, post, Reply, type Route } from '../routing/route.ts'

const OURS = { area: 'messages', needs: 'server-key' } as const
const UNKNOWN = { 404: 'There is no such picture' }

/** Pictures that pushes, in-app messages and links show, for servers and the console. Not in the contract. */
export const pictureRoutes: Route[] = [
  post('/v1/pictures', {
    ...OURS,
    summary: 'Store a picture',
    description:
      'Takes one PNG, JPEG, WebP or GIF, whatever its name and type say, of at most `limits.picture` bytes and 4096 × 4096 pixels. What is ' +
      'not needed to show it is dropped: place, camera, texts, and whatever follows its end. A picture that the app has already is not ' +
      'stored again: the answer is then 200 with the one that is there. `docs/pictures.md` describes them.',
    takes: 'PictureFile',
    takesFile: 'image/*',
    scope: 'admin',
    status: 201,
    also: {
      200: { says: 'The app has this picture already', body: storedPicture },
      409: 'The app has as many pictures as it may have',
      413: 'The picture is larger than `limits.picture`',
    },
    returns: storedPicture,
    upload: async ({ program }) => {
      program.kernel.disk.takeIn()
      return receivePicture(program.kernel.config['limits.picture'])
    },
    run: async ({ tx, appId, file }) => {
      const { picture, isNew } = await tx.pictures.add(appId, file.name, file.picture)
      return new Reply(isNew ? 201 : 200, presentStoredPicture({ picture, url: tx.pictures.urlOf(picture) }))
    },
  }),
  get('/v1/pictures', {
    ...OURS,
    summary: 'List pictures, newest first',
    description:
      'With `used=true` those that something stored here names, with `used=false` the others. What your own servers, data tables and ' +
      'web pages show is not known here.',
    scope: 'read',
    query: picturesPage,
    returns: picturePage,
    run: async ({ tx, appId, query }) => {
      const { pictures, next } = await tx.pictures.list(appId, query)
      return presentPicturePage({ pictures, next, room: await tx.pictures.room(appId), urlOf: tx.pictures.urlOf })
    },
  }),
  get('/v1/pictures/:uid', {
    ...OURS,
    summary: 'Read a picture with what names it',
    description: 'The bytes are at `url`, for everybody.',
    scope: 'read',
    also: UNKNOWN,
    returns: wholePicture,
    run: async ({ tx, appId, params }) => {
      const found = await tx.pictures.uses(appId, params.uid!)
      return presentWholePicture({ ...found, url: tx.pictures.urlOf(found.picture) })
    },
  }),
  del('/v1/pictures/:uid', {
    ...OURS,
    summary: 'Delete a picture',
    description:
      'Refused while something stored here names it, unless `force` is true. Its address is 404 within a minute; copies that browsers ' +
      'and phones keep stay until they drop them.',
    scope: 'admin',
    query: pictureDeletion,
    status: 204,
    also: { ...UNKNOWN, 409: 'Something names the picture' },
    run: ({ tx, appId, params, query }) => tx.pictures.delete(appId, params.uid!, query.force),
  }),
]
