import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, expect, test } from 'vitest'
import { folderEntries } from '../../scripts/image/folder-entries.ts'
import { type ImageVariant, imageArchive } from '../../scripts/image/oci-archive.ts'

const folder = mkdtempSync(join(tmpdir(), 'nodewave-oci-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const layer = [{ path: 'etc/hello', mode: 0o644, content: Buffer.from('hello\n') }]
const imageOf = (...variants: ImageVariant[]) =>
  imageArchive({
    name: 'registry.example/tool:1.2.3',
    variants,
    config: { Entrypoint: ['/tool'], Env: ['PATH=/bin'], User: '65532:65532' },
  })

interface Descriptor {
  readonly digest: string
  readonly size: number
}

function unpacked(archive: Buffer) {
  const place = mkdtempSync(join(folder, 'layout-'))
  execFileSync('tar', ['-xf', '-', '-C', place], { input: archive })
  const blob = ({ digest }: Descriptor): Buffer => readFileSync(join(place, 'blobs', digest.replace(':', '/')))
  return { place, blob, document: (descriptor: Descriptor) => JSON.parse(blob(descriptor).toString()) }
}

test('an image archive names the image, and each of its architectures', () => {
  const { archive, digest } = imageOf({ architecture: 'amd64', layers: [layer] }, { architecture: 'arm64', layers: [layer] })
  const { place, document } = unpacked(archive)
  const [entry] = JSON.parse(readFileSync(join(place, 'index.json'), 'utf8')).manifests
  expect(entry.annotations).toEqual({
    'io.containerd.image.name': 'registry.example/tool:1.2.3',
    'org.opencontainers.image.ref.name': '1.2.3',
  })
  expect(entry.digest).toBe(digest)
  expect(document(entry).manifests.map(({ platform }: { platform: object }) => platform)).toEqual([
    { architecture: 'amd64', os: 'linux' },
    { architecture: 'arm64', os: 'linux' },
  ])
})

test('every blob of an image archive is as its digest and its size say', () => {
  const { place } = unpacked(imageOf({ architecture: 'amd64', layers: [layer] }).archive)
  const names = readdirSync(join(place, 'blobs/sha256'))
  expect(names).toHaveLength(4)
  for (const name of names) {
    const content = readFileSync(join(place, 'blobs/sha256', name))
    expect(createHash('sha256').update(content).digest('hex')).toBe(name)
  }
})

test('the configuration of an image names its user and its unpacked layers', () => {
  const { place, blob, document } = unpacked(imageOf({ architecture: 'amd64', layers: [layer] }).archive)
  const [entry] = JSON.parse(readFileSync(join(place, 'index.json'), 'utf8')).manifests
  const manifest = document(document(entry).manifests[0])
  const { config, rootfs } = document(manifest.config)
  expect(config.User).toBe('65532:65532')
  const tar = gunzipSync(blob(manifest.layers[0]))
  expect(rootfs.diff_ids).toEqual([`sha256:${createHash('sha256').update(tar).digest('hex')}`])
})

test('an image of files that were written again is the same image', () => {
  const files = join(folder, 'files')
  mkdirSync(join(files, 'bin'), { recursive: true })
  const write = () => {
    writeFileSync(join(files, 'bin/tool'), '#!/bin/sh\n', { mode: 0o755 })
    writeFileSync(join(files, 'README'), 'read me\n', { mode: 0o644 })
    return imageOf({ architecture: 'amd64', layers: [folderEntries(files, { at: 'app' })] }).digest
  }
  const first = write()
  rmSync(join(files, 'bin/tool'))
  utimesSync(join(files, 'README'), 1, 1)
  expect(write()).toBe(first)
  writeFileSync(join(files, 'README'), 'read this\n')
  expect(imageOf({ architecture: 'amd64', layers: [folderEntries(files, { at: 'app' })] }).digest).not.toBe(first)
})
