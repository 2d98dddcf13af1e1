import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadFleet } from '../../src/repo/load-fleet.ts'
import { aRepo } from '../repo/fleets.ts'
import { pageEdit, pageFiles } from './page-files.ts'

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/from-the-origins.md'), 'utf8')

test('the YAML of the page is a valid fleet, but for the checksums that people fill in', () => {
  const files = pageFiles(PAGE)
  expect(Object.keys(files).sort()).toEqual([
    'config/cluster.yaml',
    'config/workers.yaml',
    'fleet.yaml',
    'hosts/files/containerd.toml',
    'hosts/node.yaml',
    'overrides/worker-1.yaml',
    'pools/workers.yaml',
    'releases/upstream.yaml',
  ])
  const { model, problems } = loadFleet(aRepo(files))
  expect(problems.map(({ severity, reason }) => `${severity} ${reason}`)).toEqual(['warning MissingChecksum'])
  expect(model?.pools.get('workers')?.spec.kubelet?.config).toEqual(['cluster', 'workers'])
})

test('the edit of the page is one of its files', () => {
  const { path, before, after } = pageEdit(PAGE)
  const files = pageFiles(PAGE)
  expect(files[path]?.split('\n')).toContain(before)
  const edited = { ...files, [path]: files[path]?.replace(before, after) ?? '' }
  expect(loadFleet(aRepo(edited)).model?.kubeletConfigs.get('workers')?.spec.config.eventRecordQPS).toBe(10)
})

test('no block of YAML on the page is left out', () => {
  const blocks = PAGE.match(/^```(?:yaml|toml)$/gm) ?? []
  expect(Object.keys(pageFiles(PAGE))).toHaveLength(blocks.length)
})
