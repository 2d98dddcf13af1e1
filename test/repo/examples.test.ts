import { globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { RepoFile } from '../../src/protocol/repo-snapshot.ts'
import { KINDS } from '../../src/repo/kinds.ts'
import { loadFleet } from '../../src/repo/load-fleet.ts'

const root = join(import.meta.dirname, '../../examples/repo')
const files = new Map<string, RepoFile>(
  globSync('**/*', { cwd: root })
    .filter((path) => statSync(join(root, path)).isFile())
    .map((path) => [path, { kind: 'file', bytes: readFileSync(join(root, path)) }]),
)
const { model, problems } = loadFleet(files)

test('the example fleet is valid, and warns only of checksums that are to be filled in', () => {
  expect(problems.map(({ severity, reason, at }) => `${severity} ${reason} ${at.file}`)).toEqual(
    Array(4).fill('warning MissingChecksum releases/upstream.yaml'),
  )
  expect([...(model?.pools.keys() ?? [])]).toEqual(['control-plane', 'gpu', 'machines', 'workers'])
})

test('the example fleet shows every kind', () => {
  const text = [...files]
    .filter(([path]) => path.endsWith('.yaml'))
    .map(([, file]) => (file.kind === 'file' ? new TextDecoder().decode(file.bytes) : ''))
  const kinds = new Set(text.flatMap((document) => [...document.matchAll(/^kind: (\S+)$/gm)].map(([, kind]) => kind)))

  expect([...kinds].sort()).toEqual([...Object.keys(KINDS), 'KubeletConfiguration'].sort())
})
