import { useLayoutEffect } from 'preact/hooks'
import { pageTitle } from '../state/page.ts'

/** Sets the title of the window to that of the page, for as long as the page is drawn. */
export function useTitle(title: string): void {
  useLayoutEffect(() => {
    pageTitle.value = title
    return () => {
      if (pageTitle.peek() === title) pageTitle.value = ''
    }
  }, [title])
}
