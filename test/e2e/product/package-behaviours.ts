/** The suite that holds for every package manager and for the simulated host, with the real programs in roots of their own. */
import { fileURLToPath } from 'node:url'
import { run } from '../exec.ts'

export async function packageBehaviours(manager: 'dnf' | 'dnf5' | 'zypper'): Promise<void> {
  const cwd = fileURLToPath(new URL('../../..', import.meta.url))
  const suites = [
    'agent/packages/behaviour',
    'agent/packages/archives',
    'agent/packages/kernels-of-dnf',
    'agent/packages/security-updates',
    'import/packages',
  ]
  const files = suites.map((name) => `test/${name}.test.ts`)
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', ...files, `--testNamePattern=^real ${manager} `]
  await run(process.execPath, vitest, { cwd, env: { NODEWAVE_RPM: manager } })
}
