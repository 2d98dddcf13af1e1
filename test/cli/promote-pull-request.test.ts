import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startForgeServer } from '../forge/status/forge-server.ts'
import { aFolder, commitAll, runCli } from './run-cli.ts'

const HEAD = 'apiVersion: nodewave.io/v1alpha1\nkind:'
const SUMS = ['1.35.4', '1.36.3'].map((version) => `"${version}": {amd64: ${'a'.repeat(64)}}`).join(', ')
const cluster = (name: string, version: string) =>
  `# Cluster ${name}\n${HEAD} Cluster\nmetadata: {name: ${name}}\nspec:\n  variables:\n    kubelet: "${version}" # keep this comment\n`
const FILES = {
  'fleet.yaml': `${HEAD} Fleet\nmetadata: {name: fleet}\nspec: {}\n`,
  'release.yaml': `${HEAD} KubeletRelease\nmetadata: {name: r}\nspec: {binary: {url: "https://x.example/{{version}}", sha256: {${SUMS}}}}\n`,
  'workers.yaml': `${HEAD} NodePool\nmetadata: {name: workers}\nspec: {nodeSelector: {matchLabels: {a: b}}, kubelet: {version: "{{ cluster.kubelet }}", release: r}}\n`,
  'clusters/staging.yaml': cluster('staging', '1.36.3'),
  'clusters/production.yaml': cluster('production', '1.35.4'),
}

async function promote(files: Readonly<Record<string, string>>, ...more: readonly string[]) {
  const forge = await startForgeServer()
  onTestFinished(() => forge[Symbol.asyncDispose]())
  forge.answers = [{ status: 200 }, { status: 201, body: { html_url: 'https://git.example.com/pulls/1' } }]
  const folder = await aFolder(Object.fromEntries(Object.entries(files).map(([path, text]) => [`fleet/${path}`, text])))
  await commitAll(folder)
  const repository = `${forge.url.replace('/api', '')}/platform/fleet`
  const args = ['promote', '--pr', repository, '--forge', 'gitea', '--repo', 'fleet', '--insecure-http', ...more]
  const outcome = await runCli(folder, args, { env: { NODEWAVE_FORGE_TOKEN: 'secret' } })
  return { ...outcome, folder, asked: forge.asked }
}

test('promote --pr carries a version from one cluster to the next, where it is written', async () => {
  const { stdout, stderr, asked, folder } = await promote(FILES, '--from', 'staging/workers', '--to', 'production/workers')
  expect(stderr).toBe('')
  expect(stdout).toBe('https://git.example.com/pulls/1\n')
  const [commit, pull] = asked
  expect(commit?.line).toBe('PUT /api/v1/repos/platform/fleet/contents/fleet/clusters/production.yaml')
  const content = Buffer.from(cluster('production', '1.36.3')).toString('base64')
  expect(commit?.body).toMatchObject({ content, new_branch: 'nodewave/promote-production-workers-1.36.3' })
  expect(pull?.body).toMatchObject({ title: 'production/workers: kubelet 1.36.3', base: 'main' })
  expect(await readFile(join(folder, 'fleet/clusters/production.yaml'), 'utf8')).toBe(FILES['clusters/production.yaml'])
})

test('promote --pr asks for nothing when both pools have the version', async () => {
  const same = { ...FILES, 'clusters/production.yaml': cluster('production', '1.36.3') }
  const { stdout, asked } = await promote(same, '--from', 'staging/workers', '--to', 'production/workers')
  expect(stdout).toBe('no change: production/workers has the version of staging/workers\n')
  expect(asked).toEqual([])
})

test.each([
  ['a version made of parts', '"1.3{{ cluster.minor }}.4"', 'is made of parts (workers.yaml:4); write it as one variable'],
])('promote --pr refuses %s', async (_, version, expected) => {
  const parts = {
    ...FILES,
    'workers.yaml': FILES['workers.yaml'].replace('"{{ cluster.kubelet }}"', version),
    'clusters/staging.yaml': cluster('staging', '1.36.3').replace('kubelet: "1.36.3"', 'minor: 6'),
    'clusters/production.yaml': cluster('production', '1.35.4').replace('kubelet: "1.35.4"', 'minor: 5'),
    'release.yaml': FILES['release.yaml'].replace('1.36.3', '1.36.4'),
  }
  const { stderr, asked } = await promote(parts, '--from', 'staging/workers', '--to', 'production/workers')
  expect(stderr).toContain(expected)
  expect(asked).toEqual([])
})

test('promote --pr says what it needs', async () => {
  expect((await promote(FILES, '--from', 'staging/workers')).stderr).toContain(
    '--pr needs --to; example: --forge gitea --from staging/workers',
  )
  expect((await promote(FILES, '--from', 'staging/worker', '--to', 'production/workers')).stderr).toContain('"worker"')
})
