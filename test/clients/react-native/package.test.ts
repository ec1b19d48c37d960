import { spawn } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { build } from 'esbuild'
import packageJson from '../../../package.json' with { type: 'json' }
import { buildClient } from '../../../packaging/clients.ts'
import { snippetsFor } from '../../../src/present/snippets.ts'
import { ended, ROOT } from '../../cli/cli.ts'
import { PROGRAMS_MS } from '../../support/programs.ts'

const EXAMPLE = join(ROOT, 'clients/react-native/example.tsx')
const PAGE = join(ROOT, 'docs/clients/react-native.md')
const modules = join(ROOT, 'node_modules')

/** Names that the blocks of the page leave to the reader. */
const READERS = `
import { type App, expo, firebase, type Push, start } from '@appsvc/react-native'
import AsyncStorage from '@react-native-async-storage/async-storage'
import { randomUUID } from 'expo-crypto'
import * as Notifications from 'expo-notifications'
import * as TaskManager from 'expo-task-manager'
import * as messaging from '@react-native-firebase/messaging'
import { useEffect, useState } from 'react'
import { AppState, Linking, Platform } from 'react-native'
declare const app: App
declare const token: string, cartId: string, latitude: number, longitude: number
declare function navigate(where: unknown): void
declare function setState(state: string): void
declare function display(push: Push, payload: unknown): Promise<void>
`

/** A program of the blocks of a page, each in a function of its own. */
function programOf(page: string): string {
  const blocks = [...page.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, text]) => text!)
  expect(blocks.length).to.be.above(5)
  const own = (text: string) => text.replaceAll(/^import .*$/gm, '').replaceAll('export const', 'const')
  return [READERS, ...blocks.map((text, i) => `export async function block${i}() {\n${own(text)}}`)].join('\n')
}

/** Declares as much of React and React Native as the example uses, with the types of react-native 0.88.1: these packages are large, and are not installed here. */
const STUBS = `
declare const __DEV__: boolean
declare module 'react' {
  export function useState<T>(first: T): [T, (next: T) => void]
  export function useState<T>(): [T | undefined, (next: T) => void]
  export function useEffect(effect: () => (() => void) | void, inputs: unknown[]): void
}
declare module 'react/jsx-runtime' {
  export function jsx(...given: unknown[]): object
  export function jsxs(...given: unknown[]): object
  export namespace JSX {
    type Element = object
    interface ElementChildrenAttribute { children: unknown }
    interface IntrinsicElements {}
  }
}
declare module 'react-native' {
  type Node = unknown
  export const Platform: { OS: 'ios' | 'android'; Version: string | number; constants: { reactNativeVersion: object } }
  type State = 'active' | 'background' | 'inactive' | 'unknown' | 'extension'
  export const AppState: { currentState: string | null | undefined; addEventListener(type: 'change' | 'blur', hear: (state: State) => void): { remove(): void } }
  export const Linking: {
    getInitialURL(): Promise<string | null | undefined>
    addEventListener(type: 'url', hear: (event: { url: string }) => void): { remove(): void }
    openURL(url: string): Promise<unknown>
  }
  export function View(props: { style?: object; children?: Node }): object
  export function Text(props: { children?: Node; onPress?: () => void }): object
  export function Button(props: { title: string; onPress: () => void }): object
  export function Modal(props: { transparent?: boolean; visible?: boolean; children?: Node }): object
  export function FlatList<T>(props: { data: T[]; keyExtractor(item: T): string; renderItem(given: { item: T }): object }): object
}
declare module 'react-native-webview' {
  interface Props {
    ref?: (view: { injectJavaScript(script: string): void; reload(): void } | null) => void
    source?: { uri: string }
    originWhitelist?: string[]
    injectedJavaScriptBeforeContentLoaded?: string
    style?: object
    onMessage?: (event: { nativeEvent: { data: string; url: string; title: string } }) => void
    onShouldStartLoadWithRequest?: (request: { url: string; isTopFrame: boolean }) => boolean
    onError?: (event: object) => void
    onHttpError?: (event: { nativeEvent: { url: string; statusCode: number; description: string } }) => void
  }
  export function WebView(props: Props): object
}
declare module '@react-native-async-storage/async-storage' {
  const storage: {
    getItem(key: string): Promise<string | null>
    setItem(key: string, value: string): Promise<void>
    removeItem(key: string): Promise<void>
  }
  export default storage
}
declare module 'expo-crypto' { export function randomUUID(): string }
declare module 'expo-task-manager' {
  export function defineTask<T = unknown>(name: string, run: (body: { data: T; error: unknown }) => Promise<unknown>): void
}
`

describe('the package of the client for React Native', function () {
  this.timeout(PROGRAMS_MS)
  let dir: string
  before(async () => {
    dir = mkdtempSync(join(tmpdir(), 'appsvc-client-'))
    const installed = join(dir, 'node_modules')
    await buildClient('react-native', join(installed, '@appsvc/react-native'))
    symlinkSync(join(modules, 'expo-notifications'), join(installed, 'expo-notifications'))
    symlinkSync(join(modules, '@react-native-firebase'), join(installed, '@react-native-firebase'))
  })

  it('has the version of the server, also in what it says of itself', async () => {
    const made = join(dir, 'node_modules/@appsvc/react-native')
    expect((JSON.parse(readFileSync(join(made, 'package.json'), 'utf8')) as { version: string }).version).to.equal(
      packageJson.version,
    )
    expect(readFileSync(join(made, 'dist/react-native/src/version.js'), 'utf8')).to.include(`'${packageJson.version}'`)
  })

  it('has an example of at most 80 lines, a snippet and a page that its types and those of the libraries accept', async () => {
    expect(readFileSync(EXAMPLE, 'utf8').trimEnd().split('\n').length).to.be.at.most(80)
    mkdirSync(join(dir, 'types'))
    writeFileSync(join(dir, 'types/stubs.d.ts'), STUBS)
    copyFileSync(join(import.meta.dirname, 'expo.d.ts'), join(dir, 'types/expo.d.ts'))
    copyFileSync(EXAMPLE, join(dir, 'example.tsx'))
    const snippets = snippetsFor({ url: 'https://app.example.com', apiKey: 'a', secretKey: 's', serverKey: 'k' })
    writeFileSync(join(dir, 'snippet.tsx'), snippets.find(({ name }) => name === 'expo')!.files[0]!.text)
    writeFileSync(join(dir, 'page.tsx'), programOf(readFileSync(PAGE, 'utf8')))
    writeFileSync(join(dir, 'package.json'), '{"type": "module"}')
    const form = {
      target: 'es2022',
      module: 'esnext',
      moduleResolution: 'bundler',
      jsx: 'react-jsx',
      lib: ['es2022', 'dom'],
    }
    const compilerOptions = {
      ...form,
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      types: [],
      preserveSymlinks: true,
    }
    writeFileSync(
      join(dir, 'tsconfig.json'),
      JSON.stringify({ compilerOptions, include: ['example.tsx', 'snippet.tsx', 'page.tsx', 'types'] }),
    )
    const tsc = spawn(process.execPath, [join(modules, 'typescript/bin/tsc'), '-p', dir], { cwd: dir })
    const { code, stdout } = await ended(tsc)
    expect([code, stdout]).to.deep.equal([0, ''])
  })

  it('imports nothing but itself, and has no words that Hermes lacks', async () => {
    const { outputFiles, metafile } = await build({
      stdin: { contents: "export * from '@appsvc/react-native'", resolveDir: dir },
      bundle: true,
      write: false,
      format: 'esm',
      metafile: true,
      target: 'es2021',
    })
    expect(Object.values(metafile.outputs).flatMap(({ imports }) => imports)).to.deep.equal([])
    const text = outputFiles[0]!.text
    // Engines of React Native have none of these in every version, or none of the parts that are needed.
    for (const word of [
      'structuredClone',
      'AbortSignal.timeout',
      'new URL(',
      'TextDecoder',
      'navigator',
      'document',
      'toSorted',
      'Promise.withResolvers',
    ])
      expect(text, word).to.not.include(word)
    expect(text.length).to.be.below(60_000)
  })

  it('is described: every file of its folder stands in its README', () => {
    const readme = readFileSync(join(ROOT, 'clients/react-native/README.md'), 'utf8')
    const unnamed = readdirSync(join(ROOT, 'clients/react-native/src')).filter(
      (name) => !readme.includes(`src/${name}`),
    )
    expect(unnamed).to.deep.equal(['events.ts', 'ids.ts', 'index.ts', 'version.ts'])
  })
})
