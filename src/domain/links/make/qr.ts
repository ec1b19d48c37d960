export type QrFormat = 'svg' | 'png'

export interface QrOptions {
  format: QrFormat
  /** Width and height in pixels; an SVG scales anyway. */
  size: number
}

/**
 * A QR code of an address, dark on light with the quiet zone of four modules that readers want (ISO/IEC 18004). Error correction M
 * survives 15 % damage: enough for print, and a short link stays coarse enough to be read from afar.
 */
export async function drawQr(url: string, { format, size }: QrOptions): Promise<Buffer> {
  const { default: qrcode } = await import('qrcode')
  const options = { errorCorrectionLevel: 'M', margin: 4, width: size } as const
  if (format === 'png') return qrcode.toBuffer(url, { ...options, type: 'png' })
  return Buffer.from(await qrcode.toString(url, { ...options, type: 'svg' }))
}
