import { expect } from 'chai'
import { mergeLatest, type Places, type Source } from '../../../src/domain/profiles/merged.ts'

describe('several lists in one', () => {
  /** A list of entries `[key, at]`, read two at a time, and which keys were asked for. */
  function listOf(name: string, entries: readonly (readonly [key: number, at: number])[]) {
    const asked: (number | undefined)[] = []
    const source: Source<{ id: string }> = {
      name,
      async read(key) {
        asked.push(key)
        const rest = entries.filter(([own]) => key === undefined || own < key)
        const page = rest.slice(0, 2).map(([own, at]) => ({ id: `${name}${own}`, key: own, at }))
        return { entries: page, reached: rest.length > 2 ? page.at(-1)!.key : null }
      },
    }
    return { source, asked }
  }
  const a = () =>
    listOf(
      'a',
      [5, 4, 3, 2, 1].map((key) => [key, key * 10] as const),
    )
  const b = () => listOf('b', [[9, 45] as const, [8, 15] as const, [7, 5] as const])
  const forEver = async () => true

  async function read(limit: number, from: Places = {}, goOn = forEver) {
    const { entries, places } = await mergeLatest([a().source, b().source], from, { limit, goOn })
    return { ids: entries.map(({ id }) => id), places }
  }

  it('are read from the latest to the earliest, whichever list has it', async () => {
    const all = ['a5', 'b9', 'a4', 'a3', 'a2', 'b8', 'a1', 'b7']
    expect(await read(100)).to.deep.equal({ ids: all, places: undefined })
    expect(await read(8)).to.deep.equal({ ids: all, places: undefined })
  })

  it('go on behind what was taken, in pages of any size', async () => {
    for (const limit of [1, 2, 3, 5]) {
      const ids: string[] = []
      let places: Places | undefined = {}
      for (let page = 0; places !== undefined && page < 20; page++) {
        const found: Awaited<ReturnType<typeof read>> = await read(limit, places)
        expect(found.ids.length).to.be.at.most(limit)
        ids.push(...found.ids)
        places = found.places
      }
      expect(ids, `${limit} a page`).to.deep.equal(['a5', 'b9', 'a4', 'a3', 'a2', 'b8', 'a1', 'b7'])
    }
  })

  it('show when they were, and not the keys of their list', async () => {
    const { entries } = await mergeLatest([a().source], {}, { limit: 1, goOn: forEver })
    expect(entries).to.deep.equal([{ id: 'a5', at: 50 }])
  })

  it('end where it is enough, before another list is read, and go on there', async () => {
    let reads = 0
    const first = await read(100, {}, async () => ++reads <= 2)
    expect(first.ids).to.deep.equal(['a5', 'b9', 'a4'])
    expect((await read(100, first.places)).ids).to.deep.equal(['a3', 'a2', 'b8', 'a1', 'b7'])
    expect((await read(100, {}, async () => false)).ids).to.deep.equal([])
  })

  it('are not read again where they have ended', async () => {
    const [one, other] = [a(), b()]
    await mergeLatest([one.source, other.source], { a: null }, { limit: 100, goOn: forEver })
    expect([one.asked, other.asked]).to.deep.equal([[], [undefined, 8]])
  })
})
