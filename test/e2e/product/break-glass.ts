/** Options of kubectl for what only the group of deploy/admission.yaml may write on Nodes; an administrator may impersonate it. */
export const BREAK_GLASS = ['--as=grace', '--as-group=nodewave:break-glass']
