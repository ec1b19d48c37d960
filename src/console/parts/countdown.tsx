import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { Button } from './button.tsx'
import { Progress } from './values.tsx'

interface UndoProps {
  /** "Sending to 1,204 people". */
  label: string
  /** Seconds in which the send can still be stopped. */
  seconds: number
  onUndo(): void
  /** The time is over. */
  onDone(): void
}

const TICK_MS = 250

/** Seconds in which something can still be taken back. */
export function UndoCountdown({ label, seconds, onUndo, onDone }: UndoProps) {
  const left = useSignal(seconds)
  useEffect(() => {
    const end = performance.now() + seconds * 1000
    const timer = setInterval(() => {
      left.value = Math.max(0, (end - performance.now()) / 1000)
      if (left.peek() > 0) return
      clearInterval(timer)
      onDone()
    }, TICK_MS)
    return () => clearInterval(timer)
  }, [])
  const whole = Math.ceil(left.value)
  return (
    <div class="countdown">
      <div style={{ flex: 1 }}>
        <Progress label={label} value={seconds - left.value} max={seconds} text={`in ${whole} s`} />
      </div>
      <Button onClick={onUndo}>Undo</Button>
    </div>
  )
}
