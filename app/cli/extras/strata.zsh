#compdef strata
# zsh completion for strata
_strata() {
	local -a commands
	commands=(
{{range .Subcommands}}		'{{.Name}}:{{.Summary}}'
{{end}}	)
	case $words[2] in
{{range .Subcommands}}	{{.Name}}) shift words; ((CURRENT--)); {{template "arguments" .}}{{end}}	*)
		((CURRENT == 2)) && _describe command commands
		{{template "arguments" .Window}}	esac
}
_strata "$@"
{{define "arguments"}}_arguments
{{- range .Flags}} \
			'--{{.Long}}[{{plain .Help}}]
	{{- if .Choices}}:{{.Long}}:({{join .Choices}})
	{{- else if .TakesFile}}:file:_files
	{{- else if .Arg}}:{{plain .Arg}}: {{end}}'
{{- end}} '*:{{if .Words}}{{.Name}}:({{join .Words}}){{else}}file:_files{{end}}' ;;
{{end -}}
