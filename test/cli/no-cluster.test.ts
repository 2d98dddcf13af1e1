import { afterEach, expect, test, vi } from 'vitest'
import { aFolder, commitAll, FLEET, runCli } from './run-cli.ts'

afterEach(() => vi.unstubAllEnvs())

test.each(['plan', 'simulate'])('%s names the options that need no cluster when there is no kubeconfig', async (command) => {
  const folder = await aFolder(FLEET)
  await commitAll(folder)
  vi.stubEnv('HOME', folder)
  vi.stubEnv('KUBECONFIG', '')
  vi.stubEnv('KUBERNETES_SERVICE_HOST', '')
  const { stderr, code } = await runCli(folder, [command])
  expect(stderr).toContain('and this is not a pod; without a cluster, name the nodes by --nodes FILE or --fake-nodes COUNT')
  expect(code).toBe(2)
})
