/** The static table of HPACK (RFC 7541 appendix A): name and value of index 1 to 61. */
export const STATIC_TABLE: readonly (readonly [name: string, value: string])[] = `
  :authority
  :method GET
  :method POST
  :path /
  :path /index.html
  :scheme http
  :scheme https
  :status 200
  :status 204
  :status 206
  :status 304
  :status 400
  :status 404
  :status 500
  accept-charset
  accept-encoding gzip, deflate
  accept-language
  accept-ranges
  accept
  access-control-allow-origin
  age
  allow
  authorization
  cache-control
  content-disposition
  content-encoding
  content-language
  content-length
  content-location
  content-range
  content-type
  cookie
  date
  etag
  expect
  expires
  from
  host
  if-match
  if-modified-since
  if-none-match
  if-range
  if-unmodified-since
  last-modified
  link
  location
  max-forwards
  proxy-authenticate
  proxy-authorization
  range
  referer
  refresh
  retry-after
  server
  set-cookie
  strict-transport-security
  transfer-encoding
  user-agent
  vary
  via
  www-authenticate`
  .trim()
  .split('\n')
  .map((line) => {
    const [name = '', ...value] = line.trim().split(' ')
    return [name, value.join(' ')] as const
  })

/** Index of the newest entry of the dynamic table. */
export const FIRST_DYNAMIC = STATIC_TABLE.length + 1
/** The weight of an entry besides its two strings (RFC 7541 section 4.1). */
export const ENTRY_OVERHEAD = 32
/** SETTINGS_HEADER_TABLE_SIZE before anybody says otherwise (RFC 9113 section 6.5.2). */
export const DEFAULT_TABLE_SIZE = 4096
