import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { Connection } from '../kube/connection.ts'
import { execAuth } from '../kube/exec-auth.ts'
import { findConnection } from '../kube/find-connection.ts'
import type { KubeApi } from '../kube/kube-api.ts'
import { createKubeClient } from '../kube/kube-client.ts'
import type { CliIo } from './cli-io.ts'

/** Which cluster is meant. */
export interface ClusterFlags {
  readonly kubeconfig?: string | undefined
  readonly context?: string | undefined
}

export function withClusterOptions(command: Command): Command {
  return command
    .option(
      '--kubeconfig <file>',
      'kubeconfig of the cluster. Default: KUBECONFIG, the service account of the pod, or ~/.kube/config',
    )
    .option('--context <name>', 'context of the kubeconfig. Default: its current-context')
}

/** @throws {KubeconfigError} naming the file and what is wrong with it. */
export async function connectTo(io: CliIo, flags: ClusterFlags): Promise<KubeApi> {
  return createKubeClient(await connectionTo(io, flags))
}

/** @throws {KubeconfigError} naming the file and what is wrong with it. */
export function connectionTo(io: CliIo, { kubeconfig, context }: ClusterFlags): Promise<Connection> {
  const named = {
    ...(kubeconfig !== undefined && { kubeconfig: resolve(io.cwd, kubeconfig) }),
    ...(context !== undefined && { context }),
  }
  return findConnection({ ...named, env: io.env, plugin: execAuth })
}
