import type { KubeletLayout } from '../../protocol/host-document.ts'
import { AgentError } from '../agent-error.ts'
import { EXTRA_ARGS_FILES, KUBEADM_DROP_INS, KUBEADM_FLAGS } from '../paths.ts'
import type { HostFiles } from '../ports.ts'
import { kubeletDefinition, type ServiceManagerName } from '../service-managers.ts'
import { envLayout } from './env.ts'
import { EXTRA_ARGS, KUBEADM_ARGS, kubeadmLayout } from './kubeadm.ts'
import type { Layout, LayoutFacts } from './layout.ts'
import { managedLayout } from './managed.ts'

const LAYOUTS = { kubeadm: kubeadmLayout, env: envLayout, managed: managedLayout } as const

export interface LayoutChoice {
  /** What the host document says, if it says. */
  readonly named: KubeletLayout | undefined
  /** What the agent was started with. */
  readonly option: 'auto' | 'kubeadm' | 'env'
  readonly environmentFile: string
  readonly manager: ServiceManagerName
}

/**
 * @returns undefined when nothing says how the kubelet of this host is installed.
 * @throws {AgentError} when the host says that it is installed another way than it is named.
 */
export async function findLayout(
  files: HostFiles,
  choice: LayoutChoice,
): Promise<{ readonly layout: Layout; readonly facts: LayoutFacts } | undefined> {
  const name = choice.named ?? (choice.option === 'auto' ? await detect(files, choice.environmentFile) : choice.option)
  if (name === undefined) return undefined
  if (name === 'managed') await refuseOtherUnit(files)
  const { environmentFile, manager } = choice
  const flags = manager === 'systemd' ? await flagsOfUnit(files) : await flagsOfScript(manager, files)
  const facts = { environmentFile, manager, ...flags }
  return { layout: LAYOUTS[name], facts }
}

/** A drop-in of the package would replace the command of our unit. */
async function refuseOtherUnit(files: HostFiles): Promise<void> {
  for (const path of KUBEADM_DROP_INS) {
    if ((await files.stat(path)) === undefined) continue
    throw new AgentError(`lay out the kubelet: "${path}" belongs to a kubelet that a package installed; use layout "kubeadm"`, {
      kind: 'validate',
      reason: 'LayoutMismatch',
    })
  }
}

async function detect(files: HostFiles, environmentFile: string): Promise<'kubeadm' | 'env' | undefined> {
  for (const path of [KUBEADM_FLAGS, ...KUBEADM_DROP_INS]) if (await files.stat(path)) return 'kubeadm'
  return (await files.stat(environmentFile)) ? 'env' : undefined
}

/** A script of a service reads what it names, and OpenRC its settings besides. */
async function flagsOfScript(
  manager: Exclude<ServiceManagerName, 'systemd'>,
  files: HostFiles,
): Promise<Pick<LayoutFacts, 'extraArgsFile' | 'unusedVariables'>> {
  const paths = kubeletDefinition(manager)
  const texts = await Promise.all(paths.map(async (path) => Buffer.from((await files.read(path)) ?? []).toString()))
  const text = texts.join('\n')
  const named = /(\/etc\/(?:default|sysconfig|conf\.d)\/kubelet)\b/.exec(text)?.[1]
  const unusedVariables = [KUBEADM_ARGS, EXTRA_ARGS].filter((variable) => !text.includes(variable))
  return { extraArgsFile: named ?? paths[1] ?? EXTRA_ARGS_FILES.deb, unusedVariables }
}

async function flagsOfUnit(files: HostFiles): Promise<Pick<LayoutFacts, 'extraArgsFile' | 'unusedVariables'>> {
  return { extraArgsFile: await findExtraArgsFile(files), unusedVariables: [] }
}

/** The unit itself says which file it reads; without kubeadm's drop-in, the directory that the distribution has. */
async function findExtraArgsFile(files: HostFiles): Promise<string> {
  for (const path of KUBEADM_DROP_INS) {
    const text = Buffer.from((await files.read(path)) ?? []).toString()
    const named = /^EnvironmentFile=-?(\/etc\/(?:default|sysconfig)\/kubelet)\s*$/m.exec(text)?.[1]
    if (named !== undefined) return named
  }
  const isRpm = (await files.stat(EXTRA_ARGS_FILES.deb)) === undefined && (await files.stat('/etc/sysconfig')) !== undefined
  return isRpm ? EXTRA_ARGS_FILES.rpm : EXTRA_ARGS_FILES.deb
}
