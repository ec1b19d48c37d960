import type { PictureInUse } from '../../domain/pictures/service.ts'
import {
  type ListedPicture,
  type Picture,
  type PictureLimits,
  type PictureUse,
  USERS,
} from '../../domain/pictures/types.ts'
import { PICTURE_KINDS } from '../../platform/pictures/types.ts'
import {
  answer,
  answerOf,
  boolean,
  count,
  integer,
  list,
  NEXT,
  nullable,
  object,
  oneOf,
  plainTime,
  string,
  told,
  type Words,
  within,
} from '../schema.ts'
import { APP_ID, CREATED_AT } from '../words.ts'

/** A picture with its address. */
interface ShownPicture {
  picture: Picture
  url: string
}

const PICTURE_UID: Words = [
  'Identifies the picture; part of its address. The same bytes of the same app always have the same one.',
  '4f9c2b7e8d1a4c53b6e0f7a912d8c3e4',
]

const shown = {
  ...within(({ picture }: ShownPicture) => picture, {
    appId: told(integer, APP_ID),
    uid: told(string, PICTURE_UID),
    name: told(string, 'Name of the file, for people.', 'croissants.jpg'),
    kind: told(oneOf(PICTURE_KINDS), 'What its bytes are, whatever the file was called.', 'jpeg'),
    width: told(count, 'Width in pixels, as it is shown.', 1200),
    height: told(count, 'Height in pixels, as it is shown.', 630),
    frames: told(count, 'Frames of an animation; 1 of any other picture.', 1),
    size: told(count, 'Size in bytes, as it is served.', 84_212),
    createdAt: told(plainTime, CREATED_AT, '2026-03-01 12:00:00'),
  }),
  url: told(
    string,
    'Its address, for everybody. What is there never changes.',
    'https://push.example.com/pictures/4f9c2b7e8d1a4c53b6e0f7a912d8c3e4.jpg',
    ({ url }: ShownPicture) => url,
  ),
}

/** A picture that was stored, or that the app has already. */
export const storedPicture = answer<ShownPicture>()('Picture', 'A picture of the app.', shown)
export const presentStoredPicture = storedPicture.present

const listedPicture = answer<ShownPicture & { picture: ListedPicture }>()('ListedPicture', 'A picture in a list.', {
  ...shown,
  isUsed: told(
    boolean,
    'Whether something that is stored here names it.',
    true,
    ({ picture }: { picture: ListedPicture }) => picture.isUsed,
  ),
})

interface PicturePageParts {
  pictures: readonly ListedPicture[]
  next: number | null
  room: { pictures: number; size: number; limits: PictureLimits }
  urlOf(picture: Picture): string
}

export function presentPicturePage({ pictures, next, room, urlOf }: PicturePageParts) {
  return {
    pictures: pictures.map((picture) => listedPicture.present({ picture, url: urlOf(picture) })),
    next,
    room: { pictures: room.pictures, size: room.size, maxPictures: room.limits.count, maxSize: room.limits.bytes },
  }
}

export const picturePage = answerOf<typeof presentPicturePage>('PicturePage', 'One page of pictures, newest first.', {
  pictures: told(list(listedPicture), 'The pictures of this page.'),
  next: told(nullable(integer), NEXT, 51),
  room: told(
    object('PictureRoom', 'What the pictures of the app take up, and what they may.', {
      pictures: told(count, 'Number of pictures of the app.', 12),
      size: told(count, 'Their size in bytes.', 1_048_576),
      maxPictures: told(count, 'How many an app may have (`limits.pictures`).', 2000),
      maxSize: told(count, 'How many bytes they may have (`limits.pictureBytes`).', 268_435_456),
    }),
    'What the pictures of the app take up, and what they may.',
  ),
})

const use = answer<PictureUse>()('PictureUse', 'Something that names the picture.', {
  kind: told(oneOf(Object.keys(USERS) as PictureUse['kind'][]), 'The kind of thing that names it.', 'push template'),
  id: told(string, 'Its `uid` if it is a template or push template, else its id.', 'order-shipped'),
})

/** A picture with what names it. */
export const wholePicture = answer<ShownPicture & PictureInUse>()('WholePicture', 'A picture with what names it.', {
  ...shown,
  uses: told(list(use), 'What names it, newest first; fifty at most.'),
  hasMore: told(boolean, 'Whether more things name it.', false),
})
export const presentWholePicture = wholePicture.present
