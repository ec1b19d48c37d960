/** The mark: an a with something new beside it. It brings its own ground, so it may stand on any. */
export const MARK =
  '<svg viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#0b6157"/>' +
  '<g fill="none" stroke="#fff" stroke-width="3.2" stroke-linecap="round"><circle cx="14" cy="18" r="6"/><path d="M20 12v12"/></g>' +
  '<circle cx="24.6" cy="7.6" r="3.1" fill="#f0a65a"/></svg>'

/** The name, drawn from circles and lines in the width of the mark's. Its colour is that of the text around it. */
export const WORDMARK =
  '<svg viewBox="0 0 97 24" fill="none" stroke="currentColor" stroke-width="3" stroke-linecap="round" ' +
  'stroke-linejoin="round"><circle cx="8" cy="10" r="6"/><path d="M14 4v12M20 4v18M38 4v18"/><circle cx="26" cy="10" r="6"/>' +
  '<circle cx="44" cy="10" r="6"/><path d="M62 5.7C61 4.6 59.5 4 57.7 4c-2.5 0-4.2 1.2-4.2 3 0 4.2 8.9 1.8 8.9 6 0 1.8-1.9 3-4.5 3-2 0-3.7-.7-4.7-1.9' +
  'M68 4l5 12 5-12M93 5.900a6 6 0 1 0 0 8.2"/></svg>'

/** The mark as a file. */
export const MARK_FILE = MARK.replace('<svg', '<svg xmlns="http://www.w3.org/2000/svg"')

/** The mark as the address of an icon. */
export const ICON = `data:image/svg+xml,${encodeURIComponent(MARK_FILE)}`
