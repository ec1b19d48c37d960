import { effect, signal } from '@preact/signals'

export type Theme = 'auto' | 'light' | 'dark'

const KEY = 'appsvc.theme'
const kept = localStorage.getItem(KEY)

/** Light, dark, or as the system has it. It stays in this browser. */
export const theme = signal<Theme>(kept === 'light' || kept === 'dark' ? kept : 'auto')

export function startTheme(): void {
  effect(() => {
    if (theme.value === 'auto') {
      localStorage.removeItem(KEY)
      delete document.documentElement.dataset['theme']
    } else {
      localStorage.setItem(KEY, theme.value)
      document.documentElement.dataset['theme'] = theme.value
    }
  })
}
