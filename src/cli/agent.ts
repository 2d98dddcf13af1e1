import { existsSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { kubeNodeApi } from '../agent/adapters/kube-node-api.ts'
import { procProcesses } from '../agent/adapters/proc-processes.ts'
import { createRealPorts } from '../agent/adapters/real-host.ts'
import { findServiceManager } from '../agent/adapters/services/find-service-manager.ts'
import { unreachableNodeApi } from '../agent/adapters/unreachable-node-api.ts'
import { createContext } from '../agent/context.ts'
import { Agent } from '../agent/loop/agent.ts'
import type { Timing } from '../agent/options.ts'
import { statePaths } from '../agent/paths.ts'
import type { ContactSign, HostFiles, NodeApi } from '../agent/ports.ts'
import type { ServiceManagerName } from '../agent/service-managers.ts'
import { writeContact } from '../agent/state/contact.ts'
import { takeLocks } from '../agent/state/lock.ts'
import { MetricsFile } from '../agent/state/metrics-file.ts'
import { rebase } from '../agent/state/rebase.ts'
import type { Connection } from '../kube/connection.ts'
import { inCluster } from '../kube/in-cluster.ts'
import { createKubeClient } from '../kube/kube-client.ts'
import { loadKubeconfig } from '../kube/kubeconfig.ts'
import { VERSION } from '../protocol/version.ts'
import { type AgentArguments, parseAgentArguments } from './agent-arguments.ts'
import { runDoctor } from './agent-doctor.ts'
import { agentHelp } from './agent-help.ts'
import { checkRoot } from './agent-root.ts'
import { errorText } from './error-text.ts'
import { joinCluster } from './join-cluster.ts'
import { kubeconfigChange, textOf } from './kubeconfig-change.ts'
import { askedFormat } from './output/asked-format.ts'
import { jsonText } from './output/json-text.ts'

/** The kubelet's own credential: it may read and annotate its own Node, and nothing has to be handed out or rotated. */
const KUBELET_KUBECONFIG = '/etc/kubernetes/kubelet.conf'

/**
 * Runs until a signal.
 * @param timing instead of what the arguments and defaults say
 * @returns the exit code: 0, 1 when the doctor finds an error, or an agent that was installed does not report, or 2 for an error of its own.
 */
export async function runAgentCommand(args: readonly string[], timing: Partial<Timing> = {}): Promise<number> {
  try {
    const parsed = withTiming(parseAgentArguments(args), timing)
    checkRoot(parsed)
    if (parsed.command === 'help') process.stdout.write(agentHelp(parsed.topic))
    else if (parsed.command === 'version') process.stdout.write(`${VERSION}\n`)
    else if (parsed.command === 'rebase') await runRebase(parsed)
    else if (parsed.command === 'doctor') return await doctor(parsed)
    else if (parsed.command === 'import') process.stdout.write(await inventory(parsed))
    else if (parsed.command === 'security-updates') process.stdout.write(await securityProfile(parsed))
    else if (parsed.command === 'install')
      return await (await import('./agent-install.ts')).runInstall(parsed, await managerOf(parsed))
    else if (parsed.command === 'uninstall')
      await (await import('./agent-install.ts')).runUninstall(parsed, await managerOf(parsed))
    else await runAgent(parsed)
    return 0
  } catch (error) {
    process.stderr.write(`error: ${errorText(error)}\n`)
    if (args.includes('doctor') && askedFormat(args) === 'json')
      process.stdout.write(jsonText({ error: errorText(error), problems: [] }))
    return 2
  }
}

async function runAgent(settings: AgentArguments): Promise<void> {
  const stop = new AbortController()
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stop.abort())
  const { root, logFormat } = settings
  const { stateDirectory } = settings.options
  const { files } = createRealPorts({ node: NO_API, root, stateDirectory, logFormat })
  await takeLocks(statePaths(stateDirectory), { files, processes: procProcesses })
  while (!stop.signal.aborted) await runOnce(settings, stop.signal)
}

function withTiming(settings: AgentArguments, timing: Partial<Timing>): AgentArguments {
  const { options } = settings
  return { ...settings, options: { ...options, timing: { ...options.timing, ...timing } } }
}

/** Sent by `agent install`: another version is to run once this one has no change under way. */
const LEAVE = 'SIGUSR2'

/** Until `stop` aborts, or the kubeconfig is another one. */
async function runOnce(settings: AgentArguments, stop: AbortSignal): Promise<void> {
  const file = kubeconfigOf(settings)
  const path = file ?? ownKubeconfig(settings)
  const known = await textOf(path)
  const { node, trouble } = await reach(file, settings)
  const { root, logFormat } = settings
  const manager = await managerOf(settings)
  const ports = createRealPorts({ node, root, stateDirectory: settings.options.stateDirectory, logFormat, manager })
  if (trouble) ports.log.warn('the agent works without the API server until it can use a kubeconfig', { error: trouble.message })
  const ended = new AbortController()
  const signal = AbortSignal.any([stop, ended.signal])
  const isFollowed = trouble !== undefined || (file !== undefined && known !== undefined)
  const { otherKubeconfig, usableKubeconfig } = settings.options.timing
  const every = trouble ? usableKubeconfig : otherKubeconfig
  const changed =
    isFollowed &&
    kubeconfigChange(path, known, { clock: ports.clock, signal, every }).then(() => {
      if (!signal.aborted) ports.log.warn('the kubeconfig was replaced; the agent starts again with it', { file: path })
      ended.abort()
    })
  const joining =
    path === ownKubeconfig(settings) && joinCluster(settings, { name: nodeNameOf(settings), kubeconfig: path, ports, signal })
  const { textfileDirectory } = settings
  const metrics = textfileDirectory === undefined ? {} : { metrics: new MetricsFile(textfileDirectory, ports) }
  const agent = new Agent({ ...ports, ...metrics, contact: contactSign(ports.files) }, settings.options)
  const leave = (): void => void agent.leave().then(() => process.exit(0))
  process.on(LEAVE, leave)
  await agent.run(signal)
  process.off(LEAVE, leave)
  await Promise.all([changed, joining])
}

function contactSign(files: HostFiles): ContactSign {
  return {
    made: async () => {
      const { pid, started } = await procProcesses.own()
      await writeContact(files, { pid, started, version: VERSION })
    },
  }
}

interface Reached {
  readonly node: NodeApi
  /** Why it is not reached. */
  readonly trouble?: Error
}

/** What was interrupted is taken up without the API server, and so is a way back: a kubeconfig that is broken must not hinder them. */
async function reach(file: string | undefined, settings: AgentArguments): Promise<Reached> {
  try {
    const kube = createKubeClient(await connect(file, settings), { maxSockets: 2 })
    return { node: kubeNodeApi(kube, nodeNameOf(settings)) }
  } catch (error) {
    const trouble = error as Error
    return { node: unreachableNodeApi(trouble), trouble }
  }
}

async function doctor(settings: AgentArguments): Promise<number> {
  const { text, hasErrors } = await runDoctor({
    ...{
      settings,
      manager: await managerOf(settings),
      nodeName: nodeNameOf(settings),
      connect: () => connect(kubeconfigOf(settings), settings),
    },
    kubeconfig: settings.kubeconfig ?? ownKubeconfig(settings),
  })
  process.stdout.write(text)
  return hasErrors ? 1 : 0
}

/** Loaded only now: an agent that runs has no use for it. */
async function inventory(settings: AgentArguments): Promise<string> {
  const { inventoryText } = await import('./agent-import.ts')
  return inventoryText(settings, { node: nodeNameOf(settings), manager: await managerOf(settings) })
}

async function securityProfile(settings: AgentArguments): Promise<string> {
  const { securityProfileText } = await import('./agent-security-updates.ts')
  return securityProfileText(settings, nodeNameOf(settings))
}

/** What runs on this machine says nothing of what lies below a root. */
async function managerOf({ serviceManager, root }: AgentArguments): Promise<ServiceManagerName> {
  if (serviceManager !== 'auto') return serviceManager
  return root === '/' ? findServiceManager() : 'systemd'
}

function nodeNameOf({ nodeName }: AgentArguments): string {
  return nodeName ?? hostname().toLowerCase()
}

async function runRebase(settings: AgentArguments): Promise<void> {
  const { root, logFormat, options } = settings
  const { stateDirectory } = options
  const ports = createRealPorts({ node: NO_API, root, stateDirectory, logFormat, manager: await managerOf(settings) })
  // An agent that runs may be in the middle of what is to be taken again.
  await takeLocks(statePaths(stateDirectory), { files: ports.files, processes: procProcesses })
  const paths = await rebase(createContext(ports, options))
  process.stdout.write(
    paths.length === 0 ? 'no baseline has changed\n' : paths.map((path) => `baseline updated: ${path}\n`).join(''),
  )
}

/** Undefined in a pod that has nothing but its service account. */
function kubeconfigOf(settings: AgentArguments): string | undefined {
  const own = ownKubeconfig(settings)
  return settings.kubeconfig ?? (existsSync(own) ? own : undefined)
}

function ownKubeconfig({ root }: AgentArguments): string {
  return join(root, KUBELET_KUBECONFIG)
}

async function connect(file: string | undefined, settings: AgentArguments): Promise<Connection> {
  if (file !== undefined) return loadKubeconfig(file)
  const connection = await inCluster(process.env)
  if (connection !== undefined) return connection
  throw new Error(
    `no credentials for the API server: file "${ownKubeconfig(settings)}" does not exist, and this process does not run in a pod; name a file with --kubeconfig`,
  )
}

/** Locks and rebasing are between the agent's memory and the host. */
const NO_API = unreachableNodeApi(new Error('reach the API server: this is done without it'))
