import * as z from 'zod'
import { absolutePath, downloadFields, relativePath } from './common.ts'
import { packageName, packageVersion } from './packages.ts'

const UNIT = 'containerd.service'
const CONFIG = '/etc/containerd/config.toml'
const HOSTS = '/etc/containerd/certs.d'

/** Stands between quotes in hosts.toml. */
const registryUrl = z.string().regex(/^https?:\/\/[A-Za-z0-9.:_~/[\]-]+$/, 'expected an http or https URL')

const registry = z.strictObject({
  server: registryUrl.exactOptional().describe('The registry itself. Default: https:// and its name.'),
  mirrors: z.array(registryUrl).max(20).exactOptional().describe('Asked before the registry, in order.'),
  ca: absolutePath.exactOptional().describe('A file of the host with the certificates of the mirrors.'),
})

const containerd = z
  .strictObject({
    version: packageVersion.exactOptional().describe('Whole version of the package, which is held.'),
    package: packageName.exactOptional().describe('Name of the package. Default: containerd.'),
    archive: z
      .strictObject({
        ...downloadFields,
        directory: absolutePath.exactOptional().describe('Where it is unpacked. Default: /usr/local.'),
      })
      .exactOptional()
      .describe('The archive of the project instead of a package; the unit comes with it.'),
    config: z.string().exactOptional().describe(`The text of ${CONFIG}.`),
    configFrom: relativePath
      .exactOptional()
      .describe('A file of the repository with that text, relative to the folder of the fleet.'),
    registries: z
      .record(
        z.string().regex(/^(?:_default|[A-Za-z0-9][A-Za-z0-9.-]*(?::\d{1,5})?)$/, 'expected a registry such as "docker.io"'),
        registry,
      )
      .exactOptional()
      .describe(`Registries by name, such as docker.io. Needs config_path = "${HOSTS}" in the configuration.`),
  })
  .refine(({ archive, version }) => archive === undefined || version === undefined, 'expected one of version and archive')
  .refine(({ package: name, version }) => name === undefined || version !== undefined, 'expected a version with package')
  .refine(({ config, configFrom }) => config === undefined || configFrom === undefined, 'expected one of config and configFrom')

export const runtime = z.strictObject({
  containerd: containerd.describe('containerd: installed, configured, started, and restarted with its pods running.'),
})

type Containerd = z.infer<typeof containerd>

interface Around {
  readonly files?: readonly object[]
  readonly units?: readonly object[]
  readonly packages?: readonly object[]
  readonly archives?: readonly object[]
}

/** Pure: the runtime as the files, units, packages and archives that it consists of; what a profile says besides stays. */
export function withRuntime<Spec extends Around & { readonly runtime?: z.infer<typeof runtime> }>({
  runtime: stated,
  ...spec
}: Spec): Omit<Spec, 'runtime'> {
  if (stated === undefined) return spec
  const { files = [], units = [], packages = [], archives = [] } = spec
  const parts = partsOf(stated.containerd)
  return {
    ...spec,
    ...filled({
      files: [...files, ...parts.files],
      units: [...units, parts.unit],
      packages: [...packages, ...parts.packages],
      archives: [...archives, ...parts.archives],
    }),
  }
}

function partsOf({ version, package: name = 'containerd', archive, config, configFrom, registries = {} }: Containerd) {
  const directory = archive?.directory ?? '/usr/local'
  const hasConfig = config !== undefined || configFrom !== undefined
  const configFile = {
    path: CONFIG,
    ...(config === undefined ? {} : { content: config }),
    ...(configFrom && { from: configFrom }),
  }
  const restartOn = [
    ...(version === undefined ? [] : [`package:${name}`]),
    ...(archive === undefined ? [] : [`${directory}/bin/containerd`]),
    ...(hasConfig ? [CONFIG] : []),
  ]
  return {
    packages: version === undefined ? [] : [{ name, version, hold: true }],
    archives: archive === undefined ? [] : [{ name: 'containerd', url: archive.url, sha256: archive.sha256, directory }],
    files: [
      ...(hasConfig ? [configFile] : []),
      ...Object.entries(registries).map(([host, each]) => ({
        path: `${HOSTS}/${host}/hosts.toml`,
        content: hostsToml(host, each),
      })),
    ],
    unit: {
      name: UNIT,
      ...(archive === undefined ? {} : { content: unitText(directory) }),
      enabled: true,
      state: 'running',
      ...(restartOn.length === 0 ? {} : { restartOn }),
    },
  }
}

/** Pure: what containerd reads of one registry, at each pull. */
export function hostsToml(host: string, { server = `https://${host}`, mirrors = [], ca }: z.infer<typeof registry>): string {
  const blocks = mirrors.map((mirror) =>
    [
      `[host."${mirror}"]`,
      '  capabilities = ["pull", "resolve"]',
      ...(ca === undefined ? [] : [`  ca = ${JSON.stringify(ca)}`]),
    ].join('\n'),
  )
  return `${[...(host === '_default' ? [] : [`server = "${server}"`]), ...blocks].join('\n\n')}\n`
}

/** As the project ships it: pods outlive a restart of containerd. */
function unitText(directory: string): string {
  return `[Unit]
Description=containerd container runtime
Documentation=https://containerd.io
After=network.target dbus.service local-fs.target

[Service]
ExecStartPre=-/sbin/modprobe overlay
ExecStart=${directory}/bin/containerd
Type=notify
Delegate=yes
KillMode=process
Restart=always
RestartSec=5
LimitNPROC=infinity
LimitCORE=infinity
TasksMax=infinity
OOMScoreAdjust=-999

[Install]
WantedBy=multi-user.target
`
}

/** Only what is there: an empty list would be a section of nothing. */
function filled<Lists extends Readonly<Record<string, readonly object[]>>>(lists: Lists): Partial<Lists> {
  return Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0)) as Partial<Lists>
}
