# bash completion for strata
_strata() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} flags words
	COMPREPLY=()
	case $prev in
{{range .Modes}}{{range .Flags}}{{if .Choices}}	--{{.Long}}) COMPREPLY=($(compgen -W '{{join .Choices}}' -- "$cur")); return ;;
{{end}}{{end}}{{end}}	esac
	case ${COMP_WORDS[1]} in
{{range .Subcommands}}	{{.Name}}) {{template "flags" .}}{{end}}	*) {{template "flags" .Window}}	esac
	if [[ $cur == -* ]]; then
		COMPREPLY=($(compgen -W "$flags" -- "$cur"))
		return
	fi
	if [[ $words && $COMP_CWORD != 1 ]]; then
		COMPREPLY=($(compgen -W "$words" -- "$cur"))
		return
	fi
	local IFS=$'\n'
	COMPREPLY=($(compgen -f -- "$cur"))
	if [[ $COMP_CWORD == 1 ]]; then
		IFS=$' \n'
		COMPREPLY+=($(compgen -W '{{join .Names}} help' -- "$cur"))
	fi
}
complete -o filenames -F _strata strata
{{define "flags"}}flags='{{range $i, $flag := .Flags}}{{if $i}} {{end}}--{{.Long}}{{end}}' words='{{join .Words}}' ;;
{{end -}}
