export type QrFormat = 'svg' | 'png'

export interface QrOptions {
  format: QrFormat
  /** Width and height in pixels. An SVG can be scaled anyway. */
  size: number
}

/**
 * Draws the QR code of a URL: dark on light, with the quiet zone of four modules that readers need (ISO/IEC 18004).
 * Error correction level M tolerates 15 % damage. This is enough for print, and keeps the code of a short link coarse
 * enough to be read from a distance.
 */
export async function drawQr(url: string, { format, size }: QrOptions): Promise<Buffer> {
  const { default: qrcode } = await import('qrcode')
  const options = { errorCorrectionLevel: 'M', margin: 4, width: size } as const
  if (format === 'png') return qrcode.toBuffer(url, { ...options, type: 'png' })
  return Buffer.from(await qrcode.toString(url, { ...options, type: 'svg' }))
}
