import { afterEach, expect, test, vi } from 'vitest'
import { aFolder, commitAll, FLEET, runCli } from './run-cli.ts'

afterEach(() => vi.unstubAllEnvs())

test.each(['pause', 'resume', 'promote', 'retry'])(
  '%s without a pool says so, whether or not there is a cluster',
  async (command) => {
    const { stderr, code } = await runCli(await aFolder({}), [command], { env: {} })
    expect([code, stderr]).toEqual([2, 'error: missing argument: name a pool, or use --all\n'])
  },
)

test.each(['plan', 'simulate'])('%s names the options that need no cluster when there is no kubeconfig', async (command) => {
  const folder = await aFolder(FLEET)
  await commitAll(folder)
  vi.stubEnv('HOME', folder)
  vi.stubEnv('KUBECONFIG', '')
  vi.stubEnv('KUBERNETES_SERVICE_HOST', '')
  const { stderr, code } = await runCli(folder, [command])
  expect(stderr).toContain(
    'with --kubeconfig or KUBECONFIG; without a cluster, name the nodes by --nodes FILE or --fake-nodes COUNT',
  )
  expect(code).toBe(2)
})

test.each([['explain', 'n0'], ['render']])(
  '%s names the option that needs no cluster when there is no kubeconfig',
  async (...command) => {
    const folder = await aFolder(FLEET)
    vi.stubEnv('HOME', folder)
    vi.stubEnv('KUBECONFIG', '')
    vi.stubEnv('KUBERNETES_SERVICE_HOST', '')
    const { stderr, code } = await runCli(folder, command)
    expect(stderr).toMatch(/with --kubeconfig or KUBECONFIG; without a cluster, name the nodes by --nodes FILE\n$/)
    expect(code).toBe(2)
  },
)

test.each([['explain', 'n0'], ['render']])('%s names no option that it lacks when a file has no nodes', async (...command) => {
  const folder = await aFolder({ ...FLEET, 'nodes.json': '[]' })
  const { stderr, code } = await runCli(folder, [...command, '--nodes', 'nodes.json'])
  expect(stderr).toBe(`error: "${folder}/nodes.json" has no nodes: check the cluster that it was written from\n`)
  expect(code).toBe(2)
})

test.each(['plan', 'simulate'])('%s refuses generated nodes when a file of nodes is named, too', async (command) => {
  const folder = await aFolder({ ...FLEET, 'nodes.json': '[]' })
  const { stderr, code } = await runCli(folder, [command, '--nodes', 'nodes.json', '--fake-nodes', '3'])
  expect(stderr).toContain("option '--fake-nodes <counts>' cannot be used with option '--nodes <file>'")
  expect(code).toBe(2)
})
