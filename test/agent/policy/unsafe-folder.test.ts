import { expect, test } from 'vitest'
import { AgentError } from '../../../src/agent/agent-error.ts'
import { readHostPolicy } from '../../../src/agent/policy/enforce-policy.ts'
import { readTrustedKeys } from '../../../src/agent/policy/trusted-keys.ts'
import type { HostFiles } from '../../../src/agent/ports.ts'
import { MemoryFiles } from '../../../src/sim/host/memory-files.ts'

/** As the host's files refuse what is below a directory that others may write. */
function refusing(below: string): HostFiles {
  const files = new MemoryFiles()
  const refuse = (path: string): void => {
    if (path.startsWith(below))
      throw new AgentError(`use "${path}": run: chmod go-w ${below}`, { kind: 'validate', reason: 'UnsafePath' })
  }
  const stat: HostFiles['stat'] = async (path) => {
    refuse(path)
    return files.stat(path)
  }
  return Object.assign(Object.create(files), { stat })
}

test.for([
  ['readHostPolicy', readHostPolicy, 'HostPolicyUnreadable'],
  ['readTrustedKeys', readTrustedKeys, 'TrustedKeysUnreadable'],
] as const)('%s blames the host and not the assignment when others may write the folder', async ([, read, reason]) => {
  const error = await read(refusing('/etc/nodewave')).catch((thrown: unknown) => thrown)

  expect(error).toMatchObject({ kind: 'sync', reason, mayPassLater: true })
  expect(String(error)).toContain('run: chmod go-w /etc/nodewave')
})
