export type QrFormat = 'svg' | 'png'

export interface QrOptions {
  format: QrFormat
  /** Width and height in pixels. An SVG can be scaled anyway. */
  size: number
  /** A picture in the middle, as a data URL; for SVG only. */
  logo?: string | undefined
}

/** Share of the width that the logo and the ground below it take: with correction level H, 30 % may be hidden. */
const LOGO_SHARE = 0.2
const GROUND_SHARE = 0.24

/**
 * Draws the QR code of a URL: dark on light, with the quiet zone of four modules that readers need (ISO/IEC 18004).
 * Error correction level M tolerates 15 % damage. This is enough for print, and keeps the code of a short link coarse
 * enough to be read from a distance. A logo hides modules, so the code then has level H, which tolerates 30 %.
 */
export async function drawQr(url: string, { format, size, logo }: QrOptions): Promise<Buffer> {
  const { default: qrcode } = await import('qrcode')
  const options = { errorCorrectionLevel: logo === undefined ? 'M' : 'H', margin: 4, width: size } as const
  if (format === 'png') return qrcode.toBuffer(url, { ...options, type: 'png' })
  const svg = await qrcode.toString(url, { ...options, type: 'svg' })
  return Buffer.from(logo === undefined ? svg : withLogo(svg, logo))
}

/** The longest address that a page shows as a code: the modules of a longer one are too small for a camera before a screen. */
const LONGEST = 500

/** Draws the QR code of a link as visited, as part of a page; without the query where that makes it too long. */
export async function drawForPage(linkUrl: string): Promise<string> {
  const url = linkUrl.length <= LONGEST ? linkUrl : linkUrl.replace(/\?.*/s, '')
  const svg = await drawQr(url, { format: 'svg', size: 240 })
  return svg.toString().trim().replace('<svg ', '<svg aria-hidden="true" ')
}

/** Puts the picture on a white ground in the middle of the drawing, whose unit is a module. */
function withLogo(svg: string, logo: string): string {
  const modules = Number(/viewBox="0 0 (\d+) /.exec(svg)?.[1])
  if (!(modules > 0) || !/^data:image\/(png|jpeg|webp);base64,[A-Za-z0-9+/=]+$/.test(logo)) return svg
  const box = (share: number) => {
    const [side, at] = [modules * share, (modules * (1 - share)) / 2]
    return `x="${at}" y="${at}" width="${side}" height="${side}"`
  }
  const ground = `<rect ${box(GROUND_SHARE)} rx="1" fill="#ffffff"/>`
  return svg.replace(/<\/svg>\s*$/, `${ground}<image ${box(LOGO_SHARE)} href="${logo}"/></svg>\n`)
}
