import { readEnvironmentFile } from '../../protocol/environment-file.ts'
import { splitFlagString } from '../../protocol/flag-string.ts'
import { AgentError } from '../agent-error.ts'
import { KUBEADM_FLAGS, KUBELET_CONFIG } from '../paths.ts'
import { kubeletEnvironment } from '../resources/kubelet-environment.ts'
import { MANAGER_TITLES } from '../service-managers.ts'
import type { Claim } from '../state/managed.ts'
import { configFileOf, configTarget } from './config-target.ts'
import { flagsToAdd, healthzUrl, joinFlags, runtimeEndpoint } from './kubelet-flags.ts'
import { binaryResources, binaryTarget, installClaims } from './kubelet-install.ts'
import type { HostTexts, Layout, LayoutInput } from './layout.ts'
import { refuseShellWords } from './script-flags.ts'

export const KUBEADM_ARGS = 'KUBELET_KUBEADM_ARGS'
export const EXTRA_ARGS = 'KUBELET_EXTRA_ARGS'

/**
 * A node that kubeadm made. kubeadm owns config.yaml and kubeadm-flags.env, so ours go over what it wrote, and our flags into
 * KUBELET_EXTRA_ARGS, which stands last on the command line and wins.
 */
export const kubeadmLayout: Layout = {
  name: 'kubeadm',

  managed: (input) => [
    ...installClaims(input),
    ...(setsFlags(input) ? [flagsClaim(input)] : []),
    ...(input.content.config === undefined ? [] : [{ kind: 'kubelet-config', key: KUBELET_CONFIG }]),
  ],

  reads: ({ facts }, known) => [
    KUBELET_CONFIG,
    KUBEADM_FLAGS,
    facts.extraArgsFile,
    configFileOf(argsIn(known.local, facts)),
    configFileOf(argsIn(known.current, facts)),
  ],

  target: (input, texts) => {
    const binary = binaryTarget(input)
    const flags = flagsTarget(input, texts)
    const wanted = argsOf(flags.values)
    const current = argsIn(texts.current, input.facts)
    const args = { local: argsIn(texts.local, input.facts), current, wanted }
    const config = configTarget(input, texts, { path: KUBELET_CONFIG, args })
    return {
      resources: [...binaryResources(input, binary), ...config.resources, ...flags.resources],
      args: wanted,
      config: { path: KUBELET_CONFIG, text: config.text },
      binary,
      fetchesVersion: false,
      document: config.document,
      before: { document: config.before, args: current },
      healthz: healthzUrl(config.document, wanted),
      healthzBefore: healthzUrl(config.before, current),
      runtime: runtimeEndpoint(config.document, wanted),
    }
  },
}

function setsFlags({ content }: LayoutInput): boolean {
  return content.flags !== undefined || content.opts !== undefined
}

function flagsPlace({ install, facts }: LayoutInput): {
  readonly path: string
  readonly variable: typeof KUBEADM_ARGS | typeof EXTRA_ARGS
} {
  return install.flagsFile === 'kubeadm-flags'
    ? { path: KUBEADM_FLAGS, variable: KUBEADM_ARGS }
    : { path: facts.extraArgsFile, variable: EXTRA_ARGS }
}

function flagsClaim(input: LayoutInput): Claim {
  const { path, variable } = flagsPlace(input)
  return { kind: 'kubelet-environment', key: path, variables: [variable] }
}

/** Flags that somebody else put there are part of the local configuration, and stay in front of ours. */
function flagsTarget(input: LayoutInput, { local }: HostTexts) {
  const values = valuesIn(local, input.facts)
  if (!setsFlags(input)) return { values, resources: [] }
  const { path, variable } = flagsPlace(input)
  if (input.facts.unusedVariables.includes(variable)) throw unused(variable, input.facts)
  refuseShellWords(joinFlags(input.content.flags, input.content.opts), input.facts.manager)
  const added = flagsToAdd(values[variable], joinFlags(input.content.flags, input.content.opts))
  values[variable] = joinFlags(values[variable], added)
  const ours = { [variable]: added }
  const spec = { path, variables: { [variable]: values[variable] }, ours, original: local.get(path) }
  return { values, resources: [kubeletEnvironment.of(spec)] }
}

function unused(variable: string, { unusedVariables, manager }: LayoutInput['facts']): AgentError {
  const other = variable === EXTRA_ARGS && !unusedVariables.includes(KUBEADM_ARGS)
  const remedy = other ? `set "flagsFile: kubeadm-flags"` : `write ${variable} into its command`
  return new AgentError(
    `set flags of the kubelet: its service of ${MANAGER_TITLES[manager]} does not use ${variable}; ${remedy}, or use the kubelet configuration`,
    { kind: 'validate', reason: 'LayoutMismatch' },
  )
}

function valuesIn(texts: ReadonlyMap<string, Uint8Array>, { extraArgsFile }: LayoutInput['facts']) {
  return {
    [KUBEADM_ARGS]: variableOf(texts.get(KUBEADM_FLAGS), KUBEADM_ARGS),
    [EXTRA_ARGS]: variableOf(texts.get(extraArgsFile), EXTRA_ARGS),
  }
}

function argsIn(texts: ReadonlyMap<string, Uint8Array>, facts: LayoutInput['facts']): string[] {
  return argsOf(valuesIn(texts, facts))
}

function argsOf(values: ReturnType<typeof valuesIn>): string[] {
  return [...splitFlagString(values[KUBEADM_ARGS]), ...splitFlagString(values[EXTRA_ARGS])]
}

function variableOf(bytes: Uint8Array | undefined, name: string): string {
  return (bytes && readEnvironmentFile(bytes).get(name)) ?? ''
}
