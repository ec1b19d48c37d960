/**
 * Pictures of the starters, as data URLs: they show without a network, in a preview and on a phone. An app replaces them
 * with the values of the tag `Picture`.
 */

const draw = (height: number, shapes: string) =>
  `data:image/svg+xml;base64,${Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 ${height}" width="1280" height="${height * 2}">${shapes}</svg>`,
  ).toString('base64')}`

/** A gradient from the upper left, in the whole picture. */
const ground = (height: number, from: string, to: string) =>
  `<defs><linearGradient id="g" x2="1" y2="1"><stop stop-color="${from}"/><stop offset="1" stop-color="${to}"/></linearGradient></defs><rect width="640" height="${height}" fill="url(#g)"/>`

/** A running shoe on a hill. */
export const SHOE = draw(
  360,
  `${ground(360, '#fecdd3', '#fdba74')}<circle cx="500" cy="90" r="52" fill="#fff7ed"/><path d="M0 290q160-90 330-30t310-20v120H0z" fill="#9f1239" opacity=".28"/><path d="M150 246c34-4 58-28 74-62l14-30c5-9 16-9 22-1 22 30 60 50 104 57l74 12c34 6 54 22 54 44H150z" fill="#be123c"/><path d="M150 246c34-4 58-28 74-62l8-16c14 36 46 62 92 70l168 20v8H150z" fill="#e11d48"/><path d="M142 262h354c4 22-8 34-30 34H170c-18 0-30-12-28-34z" fill="#fff1f2"/><path d="M284 190l-26 20m52-6l-26 20m52-10l-24 20" stroke="#fff1f2" stroke-width="8" stroke-linecap="round"/>`,
)

/** A bell that rings. */
export const BELL = draw(
  260,
  `${ground(260, '#ede9fe', '#c4b5fd')}<circle cx="320" cy="130" r="104" fill="#fff" opacity=".55"/><path d="M320 56c-36 0-58 26-58 62v30l-18 30c-3 6 0 12 7 12h138c7 0 10-6 7-12l-18-30v-30c0-36-22-62-58-62z" fill="#6d28d9"/><path d="M298 200a22 22 0 0 0 44 0z" fill="#4c1d95"/><path d="M226 92c4-20 14-36 28-48m160 48c-4-20-14-36-28-48" stroke="#6d28d9" stroke-width="9" stroke-linecap="round" fill="none"/><circle cx="372" cy="76" r="22" fill="#f43f5e"/>`,
)

/** A megaphone. */
export const MEGAPHONE = draw(
  260,
  `${ground(260, '#ccfbf1', '#99f6e4')}<circle cx="300" cy="130" r="104" fill="#fff" opacity=".55"/><path d="M226 104h46l110-50v152l-110-50h-46c-14 0-24-10-24-26s10-26 24-26z" fill="#0f766e"/><path d="M382 54c12 0 18 34 18 76s-6 76-18 76z" fill="#134e4a"/><path d="M240 158h34l12 50c2 9-4 16-13 16h-10c-7 0-12-4-14-11z" fill="#115e59"/><path d="M430 98l40-22m-36 54h46m-50 32l40 22" stroke="#0f766e" stroke-width="10" stroke-linecap="round"/>`,
)

/** Mountains at sunrise. */
export const MOUNTAINS = draw(
  260,
  `${ground(260, '#fef3c7', '#fcd34d')}<circle cx="420" cy="104" r="46" fill="#fff"/><path d="M40 260l170-180 110 116 60-58 150 122z" fill="#b45309"/><path d="M210 80l48 51-28-8-20 18-22-16-26 6z" fill="#fffbeb"/><path d="M240 260l170-120 210 120z" fill="#78350f" opacity=".75"/>`,
)

/** A paper plane, on nothing: it flies above the colours of the message. */
export const PLANE = draw(
  300,
  `<path d="M96 250c60 20 130 6 176-36s34-100-8-96-44 62 14 72 112-10 150-44" fill="none" stroke="#fff" stroke-opacity=".6" stroke-width="6" stroke-dasharray="4 16" stroke-linecap="round"/><path d="M392 128l188-78-74 166-44-46z" fill="#fff"/><path d="M462 170l118-120-70 0-118 78z" fill="#dcdcff"/><path d="M462 170l-4 52 26-29z" fill="#b9b8f5"/>`,
)
