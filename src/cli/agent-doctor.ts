import { readFacts } from '../agent/adapters/doctor-facts.ts'
import { kubeNodeApi } from '../agent/adapters/kube-node-api.ts'
import { createRealPorts } from '../agent/adapters/real-host.ts'
import { diagnose } from '../agent/doctor/diagnose.ts'
import type { Finding } from '../agent/doctor/finding.ts'
import type { NodeApi } from '../agent/ports.ts'
import type { ServiceManagerName } from '../agent/service-managers.ts'
import type { Connection } from '../kube/connection.ts'
import { createKubeClient } from '../kube/kube-client.ts'
import type { AgentArguments } from './agent-arguments.ts'
import { errorText } from './error-text.ts'
import { printable } from './printable.ts'

export interface DoctorSetup {
  readonly settings: AgentArguments
  readonly manager: ServiceManagerName
  readonly kubeconfig: string
  readonly nodeName: string
  readonly connect: () => Promise<Connection>
}

/** @returns the report, and whether something keeps the agent from working */
export async function runDoctor({ settings, manager, kubeconfig, nodeName, connect }: DoctorSetup) {
  const { root, logFormat, options, output } = settings
  const connection = await connect().catch((error: unknown) => errorText(error))
  const isConnected = typeof connection !== 'string'
  const node: Pick<NodeApi, 'get'> = isConnected
    ? kubeNodeApi(createKubeClient(connection), nodeName)
    : { get: () => Promise.reject(new Error(connection)) }
  // With a state directory of its own it would close that to others, and it is to change nothing.
  const ports = createRealPorts({ node: node as NodeApi, root, logFormat, manager })
  const problem = isConnected ? {} : { problem: connection }
  const facts = await readFacts({
    ...{ ports, root, stateDirectory: options.stateDirectory, server: isConnected ? connection.server : '' },
    kubeconfig: { path: kubeconfig, ...problem },
  })
  const findings = diagnose(facts)
  const hasErrors = findings.some(({ state }) => state === 'error')
  return { text: output === 'json' ? `${JSON.stringify({ findings }, null, 2)}\n` : doctorText(findings), hasErrors }
}

/** A line each, and what to do below it. */
export function doctorText(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ check }) => check.length))
  return findings
    .map(({ check, state, message, remedy }) => {
      const line = `${state.padEnd(7)}  ${check.padEnd(width)}  ${printable(message)}\n`
      return remedy === undefined ? line : `${line}${' '.repeat(9)}${' '.repeat(width)}  → ${remedy}\n`
    })
    .join('')
}
