import { expect, test } from 'vitest'
import type { CliIo } from '../../src/cli/cli-io.ts'
import { judgeChange } from '../../src/cli/plan/judge-change.ts'
import type { Judge } from '../../src/cli/validate/ask-kubelets.ts'
import { aSnapshot } from '../controller/a-snapshot.ts'
import { FLEET } from './run-cli.ts'

const asked: string[] = []

function aKubelet(version: string, message: string): Judge {
  return {
    version: async () => version,
    preflight: async ({ binary }) => {
      asked.push(binary)
      return { ok: false, message }
    },
  }
}

test('a change that the real kubelet refuses fails, and says what the kubelet said', async () => {
  const change = { from: aSnapshot('a', FLEET), to: aSnapshot('b', FLEET) }
  const judge = aKubelet('1.35.4', 'invalid configuration: maxPods')
  const { verdict, details } = await judgeChange({} as CliIo, change, { kubelet: ['/opt/kubelet'], judge } as never)
  expect(verdict).toEqual({ passes: false, text: 'kubelet 1.35.4 refuses: invalid configuration: maxPods' })
  expect(details).toContain('kubelet 1.35.4 refuses')
  expect(asked).toEqual(['/opt/kubelet'])
})
