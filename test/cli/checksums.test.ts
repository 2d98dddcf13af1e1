import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { applied } from '../../src/cli/checksums/edits.ts'
import { fetchChecksum } from '../../src/cli/checksums/fetch-checksum.ts'
import { missingChecksums } from '../../src/cli/checksums/missing-checksums.ts'
import { aFolder, runCli } from './run-cli.ts'

const [ZEROS, A, B] = ['0'.repeat(64), 'a'.repeat(64), 'b'.repeat(64)]

const release = (sums: string) => `kind: KubeletRelease
metadata: {name: upstream}
spec:
  binary:
    url: https://dl.k8s.io/release/v{{version}}/bin/linux/{{arch}}/kubelet
    sha256:
${sums}
`
const KNOWN = `      "1.36.3": # tested
        amd64: "${A}"
        arm64: "${B}" # by hand`
const pool = (version: string) => `kind: NodePool\nspec:\n  kubelet:\n    version: "${version}"\n`

function found(files: Record<string, string>, before?: Record<string, string>) {
  const texts = new Map(Object.entries(files))
  const missing = missingChecksums(texts, before && new Map(Object.entries(before)))
  return missing.map(({ path, what, urls }) => [path, what, ...urls])
}

test('a version that no release has a checksum of is added below the last one, for the same architectures', () => {
  const text = release(KNOWN)
  const [missing] = missingChecksums(new Map(Object.entries({ 'release.yaml': text, 'pool.yaml': pool('1.36.4') })))
  expect([...(missing?.urls ?? [])]).toEqual([
    ['amd64', 'https://dl.k8s.io/release/v1.36.4/bin/linux/amd64/kubelet'],
    ['arm64', 'https://dl.k8s.io/release/v1.36.4/bin/linux/arm64/kubelet'],
  ])
  const sums = new Map([
    ['amd64', B],
    ['arm64', A],
  ])
  const added = `${KNOWN}\n      "1.36.4":\n        amd64: "${B}"\n        arm64: "${A}"`
  expect(applied(text, missing?.edits(sums) ?? [])).toBe(release(added))
})

test('two new versions stand in their order', () => {
  const text = release(`      "1.36.3":\n        amd64: "${A}"`)
  const pools = { 'a.yaml': pool('1.37.0'), 'b.yaml': pool('1.36.4') }
  const missing = missingChecksums(new Map(Object.entries({ 'release.yaml': text, ...pools })))
  const changed = applied(
    text,
    missing.flatMap((each) => each.edits(new Map([['amd64', B]]))),
  )
  expect(changed.match(/1\.\d+\.\d+/g)).toEqual(['1.36.3', '1.36.4', '1.37.0'])
})

test('a version with its checksums needs nothing', () => {
  expect(found({ 'release.yaml': release(KNOWN), 'pool.yaml': pool('1.36.3') })).toEqual([])
})

test('a placeholder is replaced where it stands', () => {
  const text = release(`      "1.36.3": {amd64: "${ZEROS}"}`)
  const [missing] = missingChecksums(new Map([['release.yaml', text]]))
  expect(applied(text, missing?.edits(new Map([['amd64', A]])) ?? [])).toBe(release(`      "1.36.3": {amd64: "${A}"}`))
})

test('the version of a variable is that of each cluster, and that of a patch counts', () => {
  const cluster = (version: string, more = '') => `kind: Cluster\nspec:\n  variables: {kubelet: "${version}"}\n${more}`
  const patch = '  patches:\n    - {target: {kind: NodePool}, merge: {kubelet: {version: "1.35.9"}}}\n'
  const files = {
    'release.yaml': release(KNOWN),
    'pool.yaml': pool('{{ cluster.kubelet }}'),
    'staging.yaml': cluster('1.36.4', patch),
    'production.yaml': cluster('1.36.3'),
  }
  expect(found(files).map(([, what]) => what)).toEqual(['kubelet 1.35.9', 'kubelet 1.36.4'])
})

test('a version is looked for in the release that the pool names', () => {
  const other = release(KNOWN).replace('upstream', 'mirror')
  const files = { 'a.yaml': release(KNOWN), 'b.yaml': other, 'pool.yaml': `${pool('1.36.4')}    release: mirror\n` }
  expect(found(files).map(([path]) => path)).toEqual(['b.yaml'])
})

const archive = (version: string, sum: string) =>
  `kind: HostProfile\nspec:\n  archives:\n    - {name: x, url: "https://example.com/x-${version}-{{arch}}.tgz", sha256: {amd64: "${sum}"}}\n`

test('a checksum that stayed while its URL changed is replaced, where the commit before is known', () => {
  const [before, after] = [{ 'host.yaml': archive('1.0.0', A) }, { 'host.yaml': archive('1.1.0', A) }]
  expect(found(after, before)).toEqual([
    ['host.yaml', 'https://example.com/x-1.1.0-{{arch}}.tgz', ['amd64', 'https://example.com/x-1.1.0-amd64.tgz']],
  ])
  expect([found(after), found(before, before), found({ 'host.yaml': archive('1.1.0', B) }, before)]).toEqual([[], [], []])
})

test('a release whose versions stand on one line is an error that says what to do', () => {
  const text = release('      {"1.36.3": {amd64: "x"}}').replace('sha256:\n      ', 'sha256: ')
  const [missing] = missingChecksums(new Map(Object.entries({ 'release.yaml': text, 'pool.yaml': pool('1.36.4') })))
  expect(() => missing?.edits(new Map())).toThrow('add "1.36.4" to "sha256" by hand first')
})

/** Has the checksum of kubelets beside them, and of nothing else. */
async function aServer(files: Readonly<Record<string, string>>) {
  const server = createServer((request, response) => {
    const body = files[request.url ?? '']
    response.writeHead(body === undefined ? 404 : 200).end(body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, [Symbol.dispose]: () => void server.close() }
}

test('checksums --write fills in what the servers say and have; without it nothing is written', async () => {
  using server = await aServer({ '/v1.36.3/amd64/kubelet.sha256': `${A}\n`, '/x-1.0.0-amd64.tgz': 'archive' })
  const text = release(`      "1.36.3": {amd64: "${ZEROS}"}`).replace(
    'https://dl.k8s.io/release/v{{version}}/bin/linux',
    `${server.url}/v{{version}}`,
  )
  const host = archive('1.0.0', ZEROS).replace('https://example.com', server.url)
  const folder = await aFolder({ 'release.yaml': text, 'host.yaml': host })
  const sum = createHash('sha256').update('archive').digest('hex')
  const lines = `host.yaml: ${server.url}/x-1.0.0-{{arch}}.tgz amd64 ${sum}\nrelease.yaml: kubelet 1.36.3 amd64 ${A}\n`
  const { stderr, ...printed } = await runCli(folder, ['checksums'])
  expect(printed).toEqual({ code: 1, stdout: lines })
  expect(stderr).toContain(`warning: "${server.url}/x-1.0.0-amd64.tgz" is not encrypted`)
  expect(await readFile(join(folder, 'release.yaml'), 'utf8')).toBe(text)
  expect(await runCli(folder, ['checksums', '--write'])).toMatchObject({ code: 0, stdout: lines })
  expect(await readFile(join(folder, 'release.yaml'), 'utf8')).toBe(text.replace(ZEROS, A))
  expect(await readFile(join(folder, 'host.yaml'), 'utf8')).toBe(host.replace(ZEROS, sum))
  expect(await runCli(folder, ['checksums', '--write'])).toMatchObject({ code: 0, stdout: 'no checksum is missing\n' })
})

test('a server that does not have the version is an error, and nothing is written', async () => {
  using server = await aServer({})
  const text = release(`      "1.36.3": {amd64: "${ZEROS}"}`).replace(
    'https://dl.k8s.io/release/v{{version}}/bin/linux',
    `${server.url}/v{{version}}`,
  )
  const folder = await aFolder({ 'release.yaml': text })
  const { code, stderr } = await runCli(folder, ['checksums', '--write'])
  const why = 'HTTP 404; check the version and the URL, or add the checksum by hand'
  expect([code, stderr]).toEqual([2, `error: failed to download "${server.url}/v1.36.3/amd64/kubelet": ${why}\n`])
})

test('a server that sends a checksum without an end is an error', async () => {
  const server = createServer((_, response) => void Readable.from(endless()).pipe(response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/kubelet`
  await expect(fetchChecksum(url, { isBeside: true })).rejects.toThrow(`"${url}.sha256" is no SHA-256 checksum`)
  server.closeAllConnections()
  server.close()
})

function* endless() {
  for (;;) yield `${A}\n`
}

test('an address that is none of a server is an error that says what to do', async () => {
  const folder = await aFolder({ 'host.yaml': archive('1.0.0', ZEROS).replace('https://example.com', 'file:///srv') })
  const { code, stderr } = await runCli(folder, ['checksums'])
  const why = 'it is no https:// address; add its checksum by hand'
  expect([code, stderr]).toEqual([2, `error: failed to download "file:///srv/x-1.0.0-amd64.tgz": ${why}\n`])
})
