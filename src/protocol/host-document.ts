import * as z from 'zod/mini'
import { driftRules } from './drift-policy.ts'
import { fileEdits } from './file-edits.ts'
import { KERNEL_SECTIONS } from './kernel-sections.ts'
import { nodeSettings } from './node-settings.ts'
import { ProtocolError } from './protocol-error.ts'
import { staticPods } from './static-pods.ts'
import { SYSTEM_SECTIONS } from './system-sections.ts'

/**
 * The `host` document: how the kubelet is installed on the node, and the files, units and settings around it.
 * The controller renders it from KubeletRelease and HostProfile; the agent applies it, or refuses it: what it does not know it must not
 * leave out, or half of a host would count as applied. All paths are absolute.
 */
const SHA256 = /^[0-9a-f]{64}$/
/** Spelt in one way only: a second spelling of a path would get around everything that paths are compared for. */
export const ABSOLUTE_PATH = /^\/(?!(?:[^\0\n\r]*\/)?\.{0,2}(?:\/|$))[^\0\n\r]*$/
/** As useradd takes it, but for capitals. */
export const ACCOUNT_NAME = /^(?!root$)[a-z_][a-z0-9_-]{0,31}$/
const MODE = /^0?[0-7]{3,4}$/
/** Seconds. One that never ends would keep a node from ever having something to go back to. */
const LONGEST_TRIAL = 365 * 86_400
const UNIT = /^[A-Za-z0-9:_.@\\-]{1,200}\.(?:service|socket|timer|mount|automount|swap|path|target|slice)$/

/** A name is given to programs as an argument: it must not look like an option, nor like two. */
const PACKAGE = /^[A-Za-z0-9][A-Za-z0-9+._-]{0,120}$/
const PACKAGE_VERSION = /^[A-Za-z0-9][A-Za-z0-9.+:~_^-]{0,120}$/

const packageSubjectOf = z.string().check(z.regex(/^package:[A-Za-z0-9][A-Za-z0-9+._-]{0,120}$/))
/** Half of a character becomes another one on the disk: two such paths would be one file. */
const isWhole = (path: string): boolean => path.isWellFormed()
const absolutePath = z.string().check(z.regex(ABSOLUTE_PATH), z.refine(isWhole, 'expected whole characters'))
const sha256 = z.string().check(z.regex(SHA256))

export const KUBELET_LAYOUTS = ['kubeadm', 'env', 'managed'] as const
export const CONFIG_MODES = ['overlay', 'full'] as const

const artifact = z.strictObject({ url: z.string().check(z.regex(/^https?:\/\//)), sha256 })

const kubeletInstall = z.strictObject({
  layout: z.optional(z.enum(KUBELET_LAYOUTS)),
  configMode: z.optional(z.enum(CONFIG_MODES)),
  /** Where flags go in the kubeadm layout: KUBELET_EXTRA_ARGS, or kubeadm's own file. */
  flagsFile: z.optional(z.enum(['extra-args', 'kubeadm-flags'])),
  /** The kubelet's own binary by architecture (`amd64`, `arm64`), for the version of KUBELET_VERSION. */
  binary: z.optional(z.record(z.string(), artifact)),
  /** A system package instead of a binary. */
  package: z.optional(
    z.strictObject({
      manager: z.enum(['apt', 'dnf', 'zypper']),
      name: z.string().check(z.regex(PACKAGE)),
      version: z.string().check(z.regex(PACKAGE_VERSION)),
    }),
  ),
  /** Seconds that health must hold before the configuration becomes last-known-good. */
  trialSeconds: z.optional(z.number().check(z.gte(0), z.lte(LONGEST_TRIAL))),
})

/** What is downloaded: the same on every machine, or by architecture with `{{arch}}` in the URL. */
const artifactSource = z.strictObject({
  url: z.string().check(z.regex(/^https?:\/\//)),
  sha256: z.union([sha256, z.record(z.string(), sha256)]),
})

const file = z.strictObject({
  path: absolutePath,
  content: z.optional(z.string()),
  /** Base64, for what is not UTF-8 text. */
  contentBase64: z.optional(z.string()),
  /** Its content is what is downloaded. */
  download: z.optional(artifactSource),
  /** Its content is in the secret document, by its path. */
  secret: z.optional(z.literal(true)),
  mode: z.optional(z.string().check(z.regex(MODE))),
  owner: z.optional(z.string()),
  group: z.optional(z.string()),
  state: z.optional(z.enum(['present', 'absent'])),
})

const edits = z.extend(fileEdits, { path: absolutePath })

const directory = z.strictObject({
  path: absolutePath,
  mode: z.optional(z.string().check(z.regex(MODE))),
  owner: z.optional(z.string()),
  group: z.optional(z.string()),
})

/** Both paths are absolute: what limits paths limits where links lead, too. */
const link = z.strictObject({ path: absolutePath, target: absolutePath })

const archive = z.strictObject({
  name: z.string(),
  ...artifactSource.shape,
  directory: absolutePath,
  /** How many of the first parts of each path in the archive are left out. */
  strip: z.optional(z.number()),
})

/** No name that an option or another field could be mistaken for. */
const accountName = z.string().check(z.regex(ACCOUNT_NAME))
const ID = z.number().check(z.gte(1), z.lte(2 ** 31))

const group = z.strictObject({ name: accountName, gid: z.optional(ID), system: z.optional(z.boolean()) })

const user = z.strictObject({
  name: accountName,
  uid: z.optional(ID),
  /** The primary group of a new account. Default: one with its name. */
  group: z.optional(accountName),
  /** All supplementary groups. */
  groups: z.optional(z.array(accountName)),
  system: z.optional(z.boolean()),
  shell: z.optional(absolutePath),
  home: z.optional(absolutePath),
  /** In the place that sshd reads when its AuthorizedKeysFile names it. */
  sshKeys: z.optional(z.array(z.string())),
})

const unit = z.strictObject({
  name: z.string().check(z.regex(UNIT)),
  content: z.optional(z.string()),
  dropIns: z.optional(z.record(z.string().check(z.regex(/^[A-Za-z0-9_.-]{1,200}\.conf$/)), z.string())),
  enabled: z.optional(z.boolean()),
  state: z.optional(z.enum(['running', 'stopped'])),
  /** Paths and packages (`package:NAME`) whose change restarts the unit, besides its own content and drop-ins. */
  restartOn: z.optional(z.array(z.union([absolutePath, packageSubjectOf]))),
  /** Nothing can start it. */
  masked: z.optional(z.literal(true)),
})

/** One line of a repository's file: what ends a line would begin another setting. */
const SETTING = /^[^\0\n\r]+$/

const setting = z.string().check(z.regex(SETTING))

/** The armored public key that signs the repository. */
const repositoryKey = z.string().check(z.regex(/^-----BEGIN PGP PUBLIC KEY BLOCK-----/))

const rpmRepository = z.strictObject({ url: setting.check(z.regex(/^(?:https?|file):\//)), key: repositoryKey })

const repository = z.strictObject({
  name: z.string().check(z.regex(/^[a-z0-9][a-z0-9.-]{0,60}$/)),
  apt: z.optional(
    z.strictObject({
      url: setting.check(z.regex(/^(?:https?|file):\//)),
      suite: setting,
      components: z.optional(z.array(setting)),
      architectures: z.optional(z.array(setting)),
      key: repositoryKey,
    }),
  ),
  dnf: z.optional(rpmRepository),
  zypper: z.optional(rpmRepository),
})

const hostPackage = z.strictObject({
  name: z.string().check(z.regex(PACKAGE)),
  version: z.optional(z.string().check(z.regex(PACKAGE_VERSION))),
  state: z.optional(z.enum(['present', 'absent'])),
  hold: z.optional(z.boolean()),
  /** A host without the package stays without it. */
  ifInstalled: z.optional(z.literal(true)),
})

/** The parts that have a schema of their own. */
export const HOST_SECTIONS = {
  files: z.array(file),
  edits: z.array(edits),
  directories: z.array(directory),
  links: z.array(link),
  archives: z.array(archive),
  groups: z.array(group),
  users: z.array(user),
  node: nodeSettings,
  units: z.array(unit),
  repositories: z.array(repository),
  packages: z.array(hostPackage),
  staticPods,
} as const

/** Of a command in the policy of a host. */
export const STEP_NAME = /^[a-z0-9][a-z0-9-]{0,62}$/
const stepNames = z.array(z.string().check(z.regex(STEP_NAME))).check(z.maxLength(20))

const hostDocument = z.strictObject({
  kubelet: z.optional(kubeletInstall),
  repositories: z.optional(HOST_SECTIONS.repositories),
  packages: z.optional(HOST_SECTIONS.packages),
  files: z.optional(HOST_SECTIONS.files),
  edits: z.optional(HOST_SECTIONS.edits),
  directories: z.optional(HOST_SECTIONS.directories),
  links: z.optional(HOST_SECTIONS.links),
  archives: z.optional(HOST_SECTIONS.archives),
  /** What the controller writes to the Node object; nothing of it is on the host. */
  node: z.optional(HOST_SECTIONS.node),
  groups: z.optional(HOST_SECTIONS.groups),
  users: z.optional(HOST_SECTIONS.users),
  units: z.optional(HOST_SECTIONS.units),
  sysctls: z.optional(KERNEL_SECTIONS.sysctls),
  kernelModules: z.optional(KERNEL_SECTIONS.kernelModules),
  swap: z.optional(KERNEL_SECTIONS.swap),
  time: z.optional(SYSTEM_SECTIONS.time),
  certificates: z.optional(SYSTEM_SECTIONS.certificates),
  staticPods: z.optional(HOST_SECTIONS.staticPods),
  kernelArguments: z.optional(SYSTEM_SECTIONS.kernelArguments),
  drift: z.optional(driftRules),
  /** Paths and packages whose change counts only after a reboot. */
  rebootOn: z.optional(z.array(z.union([absolutePath, packageSubjectOf]))),
  /** Commands of the host's own policy, by name. */
  steps: z.optional(z.strictObject({ before: z.optional(stepNames), after: z.optional(stepNames) })),
})

export type HostDocument = z.infer<typeof hostDocument>
export type KubeletInstall = z.infer<typeof kubeletInstall>
export type HostFile = z.infer<typeof file>
export type HostEdits = z.infer<typeof edits>
export type HostDirectory = z.infer<typeof directory>
export type HostLink = z.infer<typeof link>
export type HostArchive = z.infer<typeof archive>
export type HostPackage = z.infer<typeof hostPackage>
export type HostRepository = z.infer<typeof repository>
export type HostGroup = z.infer<typeof group>
export type HostUser = z.infer<typeof user>
export type HostUnit = z.infer<typeof unit>
export type Artifact = z.infer<typeof artifact>
export type ArtifactSource = z.infer<typeof artifactSource>
export type KubeletLayout = (typeof KUBELET_LAYOUTS)[number]
export type ConfigMode = (typeof CONFIG_MODES)[number]

/** @throws {ProtocolError} naming the place in the document and what is wrong there. */
export function parseHostDocument(text: string): HostDocument {
  return parseWith(hostDocument, text)
}

/** The same with sections beside those above, which the agent's resource kinds bring. */
export function parseExtendedHostDocument(
  text: string,
  sections: Readonly<Record<string, z.ZodMiniType>>,
): HostDocument & { readonly [section: string]: unknown } {
  const optional = Object.fromEntries(Object.entries(sections).map(([key, schema]) => [key, z.optional(schema)]))
  return parseWith(z.extend(hostDocument, optional), text)
}

function parseWith<T>(schema: z.ZodMiniType<T>, text: string): T {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new ProtocolError('host document is not JSON', { cause })
  }
  const result = schema.safeParse(value)
  if (result.success) return result.data
  throw new ProtocolError(`host document: ${explain(result.error.issues[0])}`)
}

function explain(issue: z.core.$ZodIssue | undefined): string {
  const place = issue?.path.join('.') ?? ''
  if (issue?.code !== 'unrecognized_keys') return `${place}: ${issue?.message ?? 'malformed'}`
  return `this agent knows no ${[place, issue.keys.join(', ')].filter(Boolean).join('.')}; remove it, or upgrade the agent`
}
