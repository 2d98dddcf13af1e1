import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { Command, InvalidArgumentError, Option } from 'commander'
import { startGateway } from '../dashboard/gateway.ts'
import { createKubeClient } from '../kube/kube-client.ts'
import { connectToPod } from '../kube/pod-port.ts'
import { DEFAULT_NAMESPACE } from '../protocol/names.ts'
import type { CliIo } from './cli-io.ts'
import { type ClusterFlags, connectionTo, withClusterOptions } from './cluster.ts'
import { signatureOf } from './controls/signature.ts'
import { leadingPage } from './dashboard/leading-page.ts'
import { runAction } from './dashboard/run-action.ts'

interface Flags extends ClusterFlags {
  readonly namespace: string
  readonly port: number
  readonly readOnly?: true
}

export function dashboardCommand(io: CliIo): Command {
  return withClusterOptions(new Command('dashboard'))
    .description('serve the page of the controller that leads on this machine, with buttons for operator actions')
    .option('--namespace <name>', 'namespace of the controller', DEFAULT_NAMESPACE)
    .addOption(new Option('--port <port>', 'port on this machine; 0: one that is free').argParser(parsePort).default(8081))
    .option('--read-only', 'serve no buttons')
    .addHelpText('after', '\nExample:\n  $ nodewave dashboard --context staging')
    .action((flags: Flags) => serveDashboardOf(io, flags, interruption))
}

/** Taken only when the page is served: before that, Ctrl-C ends the process as it does everywhere. */
async function interruption(): Promise<void> {
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
}

/** @param ended resolves when the page is no longer wanted. @throws {Error} when no controller serves a page, before anything listens */
export async function serveDashboardOf(io: CliIo, flags: Flags, ended: () => Promise<unknown>): Promise<void> {
  const { kubeconfig, context, namespace, port, readOnly } = flags
  const connection = await connectionTo(io, flags)
  const kube = createKubeClient(connection)
  await leadingPage(kube, namespace)
  const { who } = await signatureOf(kube, { now: io.now() })
  const key = randomBytes(24).toString('base64url')
  await using gateway = await startGateway({
    ...{ port, key, session: { user: who, cluster: connection.server } },
    connect: async () => connectToPod(connection, await leadingPage(kube, namespace)),
    ...(readOnly ? {} : { act: (action) => runAction(io, action, { kubeconfig, context, namespace }) }),
  })
  const address = `http://localhost:${gateway.port}/`
  io.stdout(
    readOnly
      ? `${address}\nThe page of ${connection.server}, without buttons. Ctrl-C ends it.\n`
      : `${address}#key=${key}\nWhoever has this address acts as "${who}" on ${connection.server}. Ctrl-C ends it.\n`,
  )
  await ended()
}

function parsePort(text: string): number {
  const port = Number(text)
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port
  throw new InvalidArgumentError('expected a port such as 8081, or 0 for one that is free')
}
