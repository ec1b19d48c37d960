import { expect } from 'chai'
import { appleAppSiteAssociation, assetLinks } from '../../../../src/domain/links/settings/well-known.ts'

describe('the association documents', () => {
  it('of Apple have both forms for every bundle, with the reserved paths left to the browser', () => {
    const document = appleAppSiteAssociation({ iosTeamId: 'ABCDE12345', iosBundleIds: ['com.a', 'com.b'] })
    const entry = (id: string) => ({
      appID: id,
      appIDs: [id],
      components: [
        { '/': '/_taps', exclude: true },
        { '/': '/_taps/*', exclude: true },
        { '/': '/.well-known', exclude: true },
        { '/': '/.well-known/*', exclude: true },
        { '/': '/*' },
      ],
      paths: ['NOT /_taps', 'NOT /_taps/*', 'NOT /.well-known', 'NOT /.well-known/*', '/*'],
    })
    expect(document).to.deep.equal({
      applinks: { apps: [], details: [entry('ABCDE12345.com.a'), entry('ABCDE12345.com.b')] },
    })
  })

  it('of Google name the package and all fingerprints', () => {
    expect(assetLinks({ androidPackage: 'com.a', androidSha256: ['AA:BB', 'CC:DD'] })).to.deep.equal([
      {
        relation: ['delegate_permission/common.handle_all_urls'],
        target: { namespace: 'android_app', package_name: 'com.a', sha256_cert_fingerprints: ['AA:BB', 'CC:DD'] },
      },
    ])
  })

  it('are not there while the settings lack something', () => {
    expect(appleAppSiteAssociation({ iosTeamId: null, iosBundleIds: ['com.a'] })).to.equal(undefined)
    expect(appleAppSiteAssociation({ iosTeamId: 'ABCDE12345', iosBundleIds: [] })).to.equal(undefined)
    expect(assetLinks({ androidPackage: null, androidSha256: ['AA'] })).to.equal(undefined)
    expect(assetLinks({ androidPackage: 'com.a', androidSha256: [] })).to.equal(undefined)
  })
})
