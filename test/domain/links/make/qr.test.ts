import { expect } from 'chai'
import { drawQr } from '../../../../src/domain/links/make/qr.ts'

describe('the QR code of a link', () => {
  it('is an SVG without anything that could run or be fetched', async () => {
    const svg = (await drawQr('https://go.example.com/offer', { format: 'svg', size: 300 })).toString()
    expect(svg).to.match(/^<svg [^>]*width="300" height="300"/)
    expect(svg).to.not.match(/script|href|<image/)
  })

  it('is a PNG of the size asked for', async () => {
    const png = await drawQr('https://go.example.com/offer', { format: 'png', size: 300 })
    expect(png.subarray(1, 4).toString()).to.equal('PNG')
    expect(png.readUInt32BE(16)).to.equal(300)
    expect(png.readUInt32BE(20)).to.equal(300)
  })
})
