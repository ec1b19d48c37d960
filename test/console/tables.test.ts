import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { type OpenConsole, useConsole } from './support/console.ts'

describe('data tables in the console', () => {
  let console: OpenConsole
  let alias: string
  useConsole((opened) => {
    console = opened
    alias = `${console.appId}_books`
  })

  const choose = async (label: string, value: string) => {
    const field = await console.page.waitForSelector(`::-p-aria([name="${label}"])`)
    await field!.select(value)
  }
  const record = async (id: number) => {
    const answer = await console.server.program.records.get(console.appId, alias, id)
    return Object.fromEntries([...answer.record.values].map(([column, value]) => [column.name, value]))
  }

  it('somebody makes a table', async () => {
    await console.visit(`/apps/${console.appId}/tables`)
    await console.sees('No tables yet')
    await console.press('New table')
    await console.type('Table name', 'books')
    await console.type('Name of column 1', 'title')
    await console.press('Required')
    await console.press('Add a column')
    await console.type('Name of column 2', 'year')
    await choose('Type of column 2', 'integer')
    await console.press('Create the table')
    await console.sees('No records yet')
    const table = await console.server.program.tables.get(console.appId, alias)
    expect(table.columns.map(({ name, type, required }) => [name, type, required])).to.deep.equal([
      ['title', 'string', true],
      ['year', 'integer', false],
    ])
  })

  it('somebody imports a file of which two lines are refused', async () => {
    const file = join(console.server.program.kernel.config.dataDir, 'books.csv')
    writeFileSync(file, 'Title,Shelf,published\nEmma,A,1815\nUlysses,B,long ago\n,C,1900\nDracula,D,1897\n')
    await console.press('Import')
    await console.sees('Import into books')
    const input = await console.page.waitForSelector('input[type=file]')
    await (input as unknown as { uploadFile(path: string): Promise<void> }).uploadFile(file)
    await console.sees('Which cell goes where')
    await choose('published', 'year')
    await console.press('Import the file')
    await console.sees('2 records were stored, 2 lines were refused')
    await console.sees('year must be an integer')
    await console.sees('title')
    await console.press('See the records')
    await console.sees('Dracula')
  })

  it('somebody changes a cell in its place, and is told what is wrong with a value', async () => {
    await console.press('year of record 1: 1815')
    const { keyboard } = console.page
    await console.page.waitForSelector('.grid-edit input')
    await keyboard.type('soon')
    await keyboard.press('Enter')
    await console.sees('Write a whole number')
    await console.type('year of record 1', '1816')
    await keyboard.press('Enter')
    await console.page.waitForSelector('::-p-aria([name="year of record 1: 1816"])')
    expect(await record(1)).to.deep.equal({ title: 'Emma', year: 1816 })
    await console.press('title of record 1: Emma')
    await console.page.waitForSelector('.grid-edit input')
    await keyboard.type('Persuasion')
    await keyboard.press('Escape')
    await console.page.waitForSelector('::-p-aria([name="title of record 1: Emma"])')
    expect(await record(1)).to.include({ title: 'Emma' })
  })

  it('somebody imports the lines that were refused with a phone', async () => {
    await console.look(390, 'light')
    const file = join(console.server.program.kernel.config.dataDir, 'more-books.csv')
    writeFileSync(file, 'title,year\nPersuasion,soon\n')
    await console.visit(`/apps/${console.appId}/tables/${alias}/import`)
    const input = await console.page.waitForSelector('input[type=file]')
    await (input as unknown as { uploadFile(path: string): Promise<void> }).uploadFile(file)
    await console.press('Import the file')
    await console.sees('0 records were stored, 1 line was refused')
    expect(await console.axe()).to.deep.equal([])
    expect(await console.page.evaluate('document.documentElement.scrollWidth')).to.be.at.most(390)
    await console.shoot('import-390')
    const saved = String(
      await console.page.evaluate(`decodeURIComponent(document.querySelector('a[download$="-refused.jsonl"]').href)`),
    )
    expect(saved).to.include('Persuasion').and.to.include('must be an integer')
    await console.look(1280, 'light')
    await console.visit(`/apps/${console.appId}/tables/${alias}`)
  })

  it('somebody is told when another person has changed the value meanwhile', async () => {
    const { server, appId } = console
    const { keyboard } = console.page
    await console.press('year of record 1: 1816')
    await console.page.waitForSelector('.grid-edit input')
    await server.program.inTransaction((tx) => tx.records.update(appId, alias, 1, { year: 1900 }))
    await keyboard.type('1817')
    await keyboard.press('Enter')
    await console.sees('is “1900” by now, because somebody else changed it')
    expect(await record(1)).to.include({ year: 1900 })
    await keyboard.press('Enter')
    await console.page.waitForSelector('::-p-aria([name="year of record 1: 1817"])')
    expect(await record(1)).to.include({ year: 1817 })
    await console.press('Edit record 1')
    await console.type('title', 'Emma, again')
    await server.program.inTransaction((tx) => tx.records.update(appId, alias, 1, { year: 1816 }))
    await console.press('Save the record')
    await console.sees('Somebody else has changed this since you opened it')
    await console.press('Save mine over it')
    await console.sees('The record is saved.')
    expect(await record(1)).to.deep.equal({ title: 'Emma, again', year: 1816 })
    await server.program.inTransaction((tx) => tx.records.update(appId, alias, 1, { title: 'Emma' }))
    await console.page.reload()
    await console.sees('Dracula')
  })

  it('somebody filters and sorts, and the address keeps it', async () => {
    await console.press('Add a filter')
    await choose('Field 1', 'year')
    await choose('Condition 1', 'atLeast')
    await console.type('Value 1', '1850')
    await console.press('Apply the filter')
    await console.misses('Emma')
    await console.sees('Dracula')
    expect(await console.page.evaluate('location.search')).to.include('filter=')
    await console.press('Clear')
    await console.sees('Emma')
    await choose('Sort by', '-year')
    await console.page.waitForFunction(`document.querySelector('tbody tr')?.innerText.includes('Dracula')`)
  })

  it('somebody adds a column, and is told before what that does', async () => {
    await console.press('Columns')
    await console.press('Add a column')
    await console.page.waitForSelector('dialog')
    await console.type('Name', 'isbn')
    await console.press('Required')
    await console.sees('Records are in the way')
    await console.press('Required')
    await console.misses('Records are in the way')
    await console.sees('The 2 records of the table have no isbn at first.')
    await console.sees('less than a tenth of a second')
    const buttons = await console.page.$$('dialog button[type=submit]')
    await buttons.at(-1)!.click()
    await console.sees('The table is changed.')
    const table = await console.server.program.tables.get(console.appId, alias)
    expect(table.columns.map(({ name }) => name)).to.deep.equal(['title', 'year', 'isbn'])
  })

  it('a viewer sees records with masked cells, and no button that changes them', async () => {
    await console.enter([{ appId: console.appId, role: 'viewer' }])
    await console.visit(`/apps/${console.appId}/tables/${alias}`)
    await console.sees('Dr•••')
    const text = String(await console.page.evaluate('document.querySelector("main").innerText'))
    for (const word of ['New record', 'Import', 'Export']) expect(text).to.not.include(word)
    await console.visit(`/apps/${console.appId}/tables/${alias}/columns`)
    await console.sees('Somebody with the role owner can change them.')
    await console.enter()
  })
})
