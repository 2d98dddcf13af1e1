import { join } from 'node:path'
import { refusal } from '../../kube/reach.ts'
import { readHostPolicy } from '../policy/enforce-policy.ts'
import { allowsHost } from '../policy/host-policy.ts'
import type { AgentPorts, Answer, NodeApi } from '../ports.ts'
import type { ServiceManagerName } from '../service-managers.ts'
import { accountPrograms } from './account-programs.ts'
import { bootMenu, rootedBootMenu, rootedDerivedFile, trustStore } from './derived-files.ts'
import { HostTree } from './host-tree.ts'
import { httpDownloads } from './http-downloads.ts'
import { kubeletProgram } from './kubelet-program.ts'
import { nodeFiles } from './node-files.ts'
import { hostPackages } from './packages/host-packages.ts'
import { procKernel } from './proc-kernel.ts'
import { realClock } from './real-clock.ts'
import { rootedKernel } from './rooted-kernel.ts'
import { rootedServices } from './rooted-services.ts'
import { serviceNotifier } from './service-notifier.ts'
import { serviceManager } from './services/find-service-manager.ts'
import { stderrLog } from './stderr-log.ts'
import { rootedSteps, stepPrograms } from './step-programs.ts'
import { tarArchives } from './tar-archives.ts'
import { directoryWatch } from './watch-directory.ts'

export interface RealHostOptions {
  readonly node: NodeApi
  /** The directory that stands for `/`. */
  readonly root?: string
  /** As seen from `root`; it is closed to others when it is used. Without it nothing is. */
  readonly stateDirectory?: string
  readonly logFormat?: 'text' | 'json'
  /** Default: systemd. */
  readonly manager?: ServiceManagerName
}

/**
 * The ports of an agent on the machine it runs on. With a root other than `/` it writes files there and touches nothing else: no service
 * of this machine, and neither the health nor the Node of this machine's kubelet say anything about what lies below.
 */
export function createRealPorts(options: RealHostOptions): AgentPorts {
  const { node, root = '/', stateDirectory, logFormat = 'text', manager = 'systemd' } = options
  const place = (path: string): string => join(root, path)
  const log = stderrLog(logFormat)
  const tree = new HostTree(root, stateDirectory === undefined ? {} : { own: stateDirectory })
  const files = nodeFiles(tree)
  const isNamed = async (hostname: string): Promise<boolean> => allowsHost(await readHostPolicy(files), hostname)
  const ports = {
    files,
    downloads: httpDownloads({ tree, isNamed, environment: process.env }),
    archives: tarArchives(tree),
    watchDirectory: directoryWatch(place),
    accounts: accountPrograms(root),
    packages: hostPackages({ root, files, stateDirectory }),
    clock: realClock,
    random: Math.random,
    log,
  }
  const kubelet = kubeletProgram({ place })
  const supervisor = serviceNotifier()
  if (root === '/')
    return {
      ...ports,
      services: serviceManager(manager),
      kernel: procKernel(),
      trustStore: trustStore(),
      bootMenu: bootMenu(),
      steps: stepPrograms(),
      kubelet,
      node,
      ...(supervisor && { supervisor }),
    }
  return {
    ...ports,
    services: rootedServices(log, manager),
    kernel: rootedKernel(log),
    trustStore: rootedDerivedFile('rebuild the trust store', log),
    bootMenu: rootedBootMenu(log),
    steps: rootedSteps(log),
    kubelet: { ...kubelet, healthz: notAsked, runtime: notAsked, serves: notAsked },
    node: { ...node, get: async () => Promise.reject(refusal(NOT_ASKED)) },
  }
}

const NOT_ASKED = 'not asked below --root'
const notAsked = async (): Promise<Answer> => ({ ok: true, detail: NOT_ASKED })
