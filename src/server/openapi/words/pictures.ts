import type { Words } from './types.ts'

const UID = '4f9c2b7e8d1a4c53b6e0f7a912d8c3e4'

/** Pictures. */
export const PICTURES: Words = {
  schemas: { PictureFile: ['A form with one picture.'] },
  fields: { 'PictureFile.file': ['The picture. Its part of the form may have any name.', 'croissants.jpg'] },
  parameters: {
    'query.used': ['True: pictures that something stored here names; false: the others. Without it, all.', true],
    'query.force': ['Deletes the picture although something names it, which then shows nothing in its place.', false],
    '/v1/pictures/:uid.path.uid': ['The `uid` of the picture.', UID],
  },
}
