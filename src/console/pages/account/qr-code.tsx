import { create } from 'qrcode'

/** Free modules around the code, as its standard asks. */
const QUIET = 2

/** A text as a QR code. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { modules } = create(text, { errorCorrectionLevel: 'M' })
  const { size } = modules
  const path = Array.from({ length: size * size }, (_, i) => {
    const [row, column] = [Math.floor(i / size), i % size]
    return modules.get(row, column) ? `M${column} ${row}h1v1h-1z` : ''
  }).join('')
  return (
    <div class="qr">
      <svg
        viewBox={`${-QUIET} ${-QUIET} ${size + 2 * QUIET} ${size + 2 * QUIET}`}
        role="img"
        aria-label={label}
        shape-rendering="crispEdges"
      >
        <path d={path} fill="#000" />
      </svg>
    </div>
  )
}
