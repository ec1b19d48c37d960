import { expect } from 'chai'
import { newSlug, readSlug, slugProblem } from '../../../../src/domain/links/make/slug.ts'

describe('slugs', () => {
  it('made by us have 96 random bits in 16 characters that a given slug may have too', () => {
    const made = new Set(Array.from({ length: 1000 }, newSlug))
    expect(made.size).to.equal(1000)
    for (const slug of made) expect(slug).to.match(/^[\w-]{16}$/)
    for (const slug of made) expect(slugProblem(slug)).to.equal(undefined)
  })

  for (const slug of ['a', 'A-Z_.~', 'a/b/c', '...', 'a..b', '_tap', 'x/_taps', 'x/.well-known', '0'.repeat(255)]) {
    it(`${slug.slice(0, 20)} can be one`, () => expect(slugProblem(slug)).to.equal(undefined))
  }

  for (const slug of [
    '',
    '/',
    '/a',
    'a/',
    'a//b',
    '.',
    '..',
    'a/..',
    './a',
    'a b',
    'a%20',
    'ä',
    'a?',
    'a#',
    'a\\b',
    '_taps',
    '_taps/a',
    '.well-known',
    '0'.repeat(256),
  ]) {
    it(`${JSON.stringify(slug.slice(0, 20))} cannot`, () => expect(slugProblem(slug)).to.be.a('string'))
  }

  it('are read from a path without the slashes at its ends', () => {
    expect(readSlug('/a/b/')).to.equal('a/b')
    expect(readSlug('//a')).to.equal('a')
    for (const path of ['', '/', '/a//b', '/_taps', '/.well-known/assetlinks.json', '/\0']) {
      expect(readSlug(path), path).to.equal(undefined)
    }
  })
})
