import { cp, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { aFolder, commitAll, runCli, writeFiles } from '../cli/run-cli.ts'

const ROOT = join(import.meta.dirname, '../..')

/** What the pages have people do: the example as a repository, and a newer kubelet for the workers that is not committed yet. */
async function anUpgradedExample(files: Readonly<Record<string, string>> = {}): Promise<string> {
  const folder = await aFolder(files)
  await cp(join(ROOT, 'examples/repo'), join(folder, 'my-fleet'), { recursive: true })
  await commitAll(join(folder, 'my-fleet'))
  const workers = await readFile(join(folder, 'my-fleet/pools/workers.yaml'), 'utf8')
  await writeFiles(folder, { 'my-fleet/pools/workers.yaml': workers.replace('"1.35.4"', '"1.36.3"') })
  return folder
}

/** The first block of the page that begins with these words; what the page breaks into lines for its width is one line again. */
async function block(page: string, beginning: string): Promise<string> {
  const found = (await readFile(join(ROOT, page), 'utf8')).split(/^```\n/m).find((text) => text.startsWith(beginning))
  return found?.replace(/\n {10}/g, ' ') ?? ''
}

test('the README shows what plan prints of the example', async () => {
  const folder = await anUpgradedExample({ 'nodes.json': await readFile(join(ROOT, 'examples/nodes.json'), 'utf8') })
  const args = ['plan', 'my-fleet', '--nodes', 'nodes.json', '--server-version', '1.36']
  expect(await runCli(folder, args)).toEqual({ stdout: await block('README.md', 'HEAD → working tree\n'), stderr: '', code: 1 })
})

test('docs/simulate.md shows what simulate prints of the example', async () => {
  const nodes = ['--fake-nodes', 'control-plane=3,gpu=4,workers=33', '--at', '2026-11-21T22:00:00Z']
  const { stdout, code } = await runCli(await anUpgradedExample(), ['simulate', 'my-fleet', ...nodes])
  expect([stdout, code]).toEqual([await block('docs/simulate.md', 'HEAD → working tree, from'), 0])
})
