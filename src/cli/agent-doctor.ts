import { readFacts } from '../agent/adapters/doctor-facts.ts'
import { kubeNodeApi } from '../agent/adapters/kube-node-api.ts'
import { createRealPorts } from '../agent/adapters/real-host.ts'
import { diagnose } from '../agent/doctor/diagnose.ts'
import type { NodeApi } from '../agent/ports.ts'
import type { ServiceManagerName } from '../agent/service-managers.ts'
import type { Connection } from '../kube/connection.ts'
import { createKubeClient } from '../kube/kube-client.ts'
import type { AgentArguments } from './agent-arguments.ts'
import { errorText } from './error-text.ts'
import { findingLines } from './finding-lines.ts'
import { jsonText } from './output/json-text.ts'

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
  return { text: output === 'json' ? jsonText({ findings }) : findingLines(findings), hasErrors }
}
