import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

/** The value, once it has stayed the same for a moment. An empty text counts at once. */
export function usePaused(value: string, ms: number): string {
  const settled = useSignal(value)
  useEffect(() => {
    if (value === '') {
      settled.value = ''
      return
    }
    const timer = setTimeout(() => (settled.value = value), ms)
    return () => clearTimeout(timer)
  }, [value])
  return settled.value
}
