import { globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { RepoFile } from '../../src/protocol/repo-snapshot.ts'
import { KINDS } from '../../src/repo/kinds.ts'
import { clustersOf, loadFleet, problemsElsewhere } from '../../src/repo/load-fleet.ts'

function filesOf(example: string): Map<string, RepoFile> {
  const root = join(import.meta.dirname, '../../examples', example)
  return new Map<string, RepoFile>(
    globSync('**/*', { cwd: root })
      .filter((path) => statSync(join(root, path)).isFile())
      .map((path) => [path, { kind: 'file', bytes: readFileSync(join(root, path)) }]),
  )
}

const files = filesOf('repo')
const clusters = filesOf('clusters')
const { model, problems } = loadFleet(files)

test('the example fleet is valid, and warns only of checksums that are to be filled in', () => {
  expect(problems.map(({ severity, reason, at }) => `${severity} ${reason} ${at.file}`)).toEqual([
    ...Array(8).fill('warning MissingChecksum hosts/machine.yaml'),
    ...Array(4).fill('warning MissingChecksum releases/upstream.yaml'),
  ])
  expect([...(model?.pools.keys() ?? [])]).toEqual(['control-plane', 'gpu', 'machines', 'workers'])
})

test('the examples show every kind', () => {
  const text = [...files, ...clusters]
    .filter(([path]) => path.endsWith('.yaml'))
    .map(([, file]) => (file.kind === 'file' ? new TextDecoder().decode(file.bytes) : ''))
  const kinds = new Set(text.flatMap((document) => [...document.matchAll(/^kind: (\S+)$/gm)].map(([, kind]) => kind)))

  expect([...kinds].sort()).toEqual([...Object.keys(KINDS), 'KubeletConfiguration'].sort())
})

test('the example of two clusters is valid in each, and all its files are used', () => {
  const names = clustersOf(clusters)
  expect(names).toEqual(['production', 'staging'])
  const read = names.map((cluster) => loadFleet(clusters, { cluster }))
  expect(read.flatMap(({ problems }) => problems.map(({ reason, at }) => `${reason} ${at.file}`))).toEqual(
    Array(4).fill('MissingChecksum shared/release.yaml'),
  )
  expect(read.map(({ model }) => [...(model?.pools.keys() ?? [])])).toEqual([['gpu', 'workers'], ['workers']])
  expect(read.map(({ model }) => model?.kubeletConfigs.get('base')?.spec.config.maxPods)).toEqual([110, 60])
  expect(
    problemsElsewhere(
      clusters,
      read.flatMap(({ model }) => model ?? []),
    ),
  ).toEqual([])
})
