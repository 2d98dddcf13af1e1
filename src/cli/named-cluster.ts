import { Option } from 'commander'

/** For which cluster of the repository a command is. */
export interface NamedCluster {
  readonly cluster?: string | undefined
}

export function clusterOption(): Option {
  return new Option('--cluster <name>', 'cluster of the repository, where it has several')
}
