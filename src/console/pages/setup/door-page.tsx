import type { ComponentChildren } from 'preact'
import { MARK, WORDMARK } from '../../../present/brand/mark.ts'
import { useTitle } from '../../parts/use-title.ts'

/** A sheet in the middle of an empty page: signing in, setting up. */
export function DoorPage({
  title,
  about,
  children,
}: {
  title: string
  about?: ComponentChildren
  children: ComponentChildren
}) {
  useTitle(title)
  return (
    <main class="door" id="main">
      <div class="door-box">
        <header class="door-head">
          <span class="brand" aria-hidden="true" dangerouslySetInnerHTML={{ __html: MARK + WORDMARK }} />
          <h1 tabIndex={-1}>{title}</h1>
          {about !== undefined && <p class="quiet">{about}</p>}
        </header>
        {children}
      </div>
    </main>
  )
}
