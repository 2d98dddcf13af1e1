import { readEnvironmentFile } from '../../protocol/environment-file.ts'
import { splitFlagString } from '../../protocol/flag-string.ts'
import { AgentError } from '../agent-error.ts'
import { KUBELET_BINARY, KUBELET_CONFIG, KUBELET_UNIT, MANAGED_FLAGS, MANAGED_KUBECONFIG, unitFile } from '../paths.ts'
import { directory } from '../resources/directory.ts'
import { file, fileClaim } from '../resources/file.ts'
import type { Resource } from '../resources/kind.ts'
import { kubeletEnvironment } from '../resources/kubelet-environment.ts'
import { unit } from '../resources/unit.ts'
import { configTarget } from './config-target.ts'
import { lenientDocument } from './kubelet-document.ts'
import { healthzUrl, joinFlags, runtimeEndpoint, staticPodPath } from './kubelet-flags.ts'
import { binaryResources, binaryTarget, installClaims } from './kubelet-install.ts'
import { KUBELET_LAUNCHER, kubeletServiceFiles, launcherText, type ServiceFile } from './kubelet-service.ts'
import type { HostTexts, Layout, LayoutInput } from './layout.ts'

const FLAGS = 'KUBELET_FLAGS'
const KUBECONFIG_ARG = `--kubeconfig=${MANAGED_KUBECONFIG}`

/** As in the packages of the Kubernetes project, with everything in one unit. */
const UNIT_TEXT = `# Written by nodewave.
[Unit]
Description=kubelet: The Kubernetes Node Agent
Documentation=https://kubernetes.io/docs/
Wants=network-online.target
After=network-online.target

[Service]
EnvironmentFile=-${MANAGED_FLAGS}
ExecStart=${KUBELET_BINARY} ${KUBECONFIG_ARG} --config=${KUBELET_CONFIG} $${FLAGS}
Restart=always
StartLimitIntervalSec=0
RestartSec=10

[Install]
WantedBy=multi-user.target
`

/** A machine on which nothing else installs a kubelet: its unit, configuration, flags and binary are all nodewave's. */
export const managedLayout: Layout = {
  name: 'managed',

  managed: (input) => [
    ...installClaims(input),
    { kind: 'kubelet-config', key: KUBELET_CONFIG },
    ...(setsFlags(input) && hasUnits(input) ? [{ kind: 'kubelet-environment', key: MANAGED_FLAGS, variables: [FLAGS] }] : []),
    ...manifestsOf(input).map((path) => ({ kind: 'directory', key: path })),
    ...serviceFiles(input).map(({ path }) => fileClaim(path)),
    { kind: 'unit', key: KUBELET_UNIT },
  ],

  reads: () => [KUBELET_CONFIG, MANAGED_FLAGS],

  target: (input, texts) => {
    if (input.content.config === undefined) throw withoutConfig()
    const binary = binaryTarget(input)
    const flags = joinFlags(input.content.flags, input.content.opts)
    const wanted = [KUBECONFIG_ARG, ...splitFlagString(flags)]
    const config = configTarget(input, texts, { path: KUBELET_CONFIG, args: { local: [], current: [], wanted: [] } })
    return {
      resources: [
        ...binaryResources(input, binary),
        ...config.resources,
        ...flagsResources(input, { flags, texts }),
        ...manifestsOf(input).map((path) => directory.of({ path })),
        ...serviceFiles(input).map(({ path, text, mode }) =>
          file.of({ path, content: { bytes: Buffer.from(text) }, mode, uid: 0, gid: 0 }),
        ),
        unit.of({ name: KUBELET_UNIT, enabled: true, running: true }),
      ],
      args: wanted,
      config: { path: KUBELET_CONFIG, text: config.text },
      binary,
      fetchesVersion: false,
      document: config.document,
      before: { document: config.before, args: hasUnits(input) ? argsNow(texts) : wanted },
      healthz: healthzUrl(config.document, wanted),
      healthzBefore: healthzUrl(config.before, wanted),
      runtime: runtimeEndpoint(config.document, wanted),
    }
  },
}

function hasUnits({ facts }: LayoutInput): boolean {
  return facts.manager === 'systemd'
}

/** What the service manager starts the kubelet by. Without unit files, the arguments stand in a script of their own. */
function serviceFiles({ content, facts: { manager } }: LayoutInput): readonly ServiceFile[] {
  if (manager === 'systemd') return [{ path: unitFile(KUBELET_UNIT), text: UNIT_TEXT, mode: 0o644 }]
  const flags = splitFlagString(joinFlags(content.flags, content.opts))
  const args = [KUBECONFIG_ARG, `--config=${KUBELET_CONFIG}`, ...flags]
  return [{ path: KUBELET_LAUNCHER, text: launcherText(args), mode: 0o755 }, ...kubeletServiceFiles(manager)]
}

function argsNow({ current }: HostTexts): string[] {
  const flags = readEnvironmentFile(current.get(MANAGED_FLAGS) ?? new Uint8Array()).get(FLAGS)
  return [KUBECONFIG_ARG, ...splitFlagString(flags ?? '')]
}

function setsFlags({ content }: LayoutInput): boolean {
  return content.flags !== undefined || content.opts !== undefined
}

/** A kubelet complains of a directory of static pods that is not there. */
function manifestsOf({ content: { config, flags, opts } }: LayoutInput): string[] {
  const args = splitFlagString(joinFlags(flags, opts))
  const path = staticPodPath(lenientDocument(config === undefined ? undefined : Buffer.from(config)), args)
  return path === undefined ? [] : [path]
}

function flagsResources(input: LayoutInput, { flags, texts }: { readonly flags: string; readonly texts: HostTexts }): Resource[] {
  if (!setsFlags(input) || !hasUnits(input)) return []
  const variables = { [FLAGS]: flags }
  return [kubeletEnvironment.of({ path: MANAGED_FLAGS, variables, ours: variables, original: texts.local.get(MANAGED_FLAGS) })]
}

function withoutConfig(): AgentError {
  return new AgentError('lay out the kubelet: layout "managed" needs a KubeletConfig, and the assignment has none', {
    kind: 'validate',
    reason: 'KubeletConfigMissing',
  })
}
